import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  sourceKinds,
  type Evidence,
  type SourceReport,
  type StoredAnswer,
} from '../domain/answer.ts';
import type { Registration } from '../domain/registration.ts';
import { replaces } from '../registries/cache/store.ts';
import type { OnParserError } from '../registries/rdap/rdap-exchange.ts';
import { readRegistration } from '../registries/rdap/registration.ts';

/** An answer without its registration, in the form that is stored. */
type VerdictColumns = Pick<StoredAnswer, 'name' | 'verdict' | 'endpoint' | 'checkedAt'> & {
  /** Expiry of the registration in epoch ms; null if the registry does not state it. */
  readonly expiresAt: number | null;
  readonly evidence: string | null;
};

/**
 * An answer with its registration: JSON in two parts, so that one can be deleted before the other.
 */
export type AnswerRow = VerdictColumns & {
  /**
   * The registration without contacts and the registry's own object; empty if it is parsed from
   * `record`, null for an unregistered name.
   */
  readonly summary: string | null;
  /**
   * The contacts and the registry's own object, or only the latter beside an empty summary; null if
   * they must not be stored, or were deleted.
   */
  readonly record: string | null;
};

/** A row whose registration may not have been read. */
export type PartialAnswerRow = VerdictColumns & Partial<AnswerRow>;

/** Returns whether the registration of a row was read. */
export function hasRegistration(row: PartialAnswerRow): row is AnswerRow {
  return row.summary !== undefined;
}

/** Returns whether the record of a row was read, and is stored. */
export function hasRecord<Row extends PartialAnswerRow>(row: Row): row is Row & RegisteredRow {
  return typeof row.record === 'string';
}

/** Converts an answer to the stored form. */
export function toRow({
  registration,
  objectText,
  isComplete,
  name,
  verdict,
  endpoint,
  checkedAt,
  expiresAt,
  evidence,
}: StoredAnswer): AnswerRow {
  const row = {
    name,
    verdict,
    endpoint,
    checkedAt,
    expiresAt: expiresAt ?? null,
    evidence: evidence ? evidenceToText(evidence, endpoint) : null,
  };
  if (!registration) return { ...row, summary: null, record: null };
  if (isComplete && objectText)
    return { ...row, summary: '', record: withoutIndentation(objectText()) };

  const parsed = registration();
  const { contacts, registrant, raw } = parsed;

  return {
    ...row,
    summary: summarize(parsed),
    record: isComplete ? JSON.stringify({ contacts, registrant, raw }) : null,
  };
}

/**
 * Some registries indent their JSON, which doubles its length. Strings in JSON contain no line
 * breaks, and numbers must stay as they are written: parsed, `1e20` would become the long integer
 * that is read as text.
 */
function withoutIndentation(json: string): string {
  // Most registries send one line, in which searching for the pattern takes four times as long.
  return json.includes('\n') ? json.replaceAll(/\n\s*/g, '') : json;
}

/**
 * Returns what remains of a registration without contacts and the registry's own object. If they are
 * not valid JSON, nothing does: the row stays unreadable, but does not keep the others from deletion.
 */
export function summaryWithoutRecord({ summary, record }: RegisteredRow): string {
  if (summary !== '') return summary;
  try {
    return summarize(readRegistration(record));
  } catch (error) {
    if (error instanceof SyntaxError) return '';
    throw error;
  }
}

/** The parts of the row of a registered name whose record was not deleted. */
export interface RegisteredRow {
  readonly summary: string;
  readonly record: string;
}

function summarize({
  contacts: _contacts,
  registrant: _registrant,
  raw: _raw,
  ...rest
}: Registration): string {
  return JSON.stringify({ ...rest, contacts: [] } satisfies Registration);
}

/** Returns the row as if its registration had not been read. */
export function withoutRegistration({
  summary: _summary,
  record: _record,
  ...row
}: PartialAnswerRow): VerdictColumns {
  return row;
}

/**
 * Converts a row to an answer. Throws `SyntaxError` if a part is not valid JSON. Calls `onParserError`
 * with the endpoint and an error of our parser.
 */
export function toAnswer(row: PartialAnswerRow, onParserError?: OnParserError): StoredAnswer {
  const { name, verdict, endpoint, checkedAt, expiresAt, evidence } = row;
  const facts = {
    ...(expiresAt !== null && { expiresAt }),
    ...(evidence !== null && { evidence: parseEvidence(evidence, endpoint) }),
  };
  const answer = { name, verdict, endpoint, checkedAt, ...facts };
  if (!hasRegistration(row)) return { ...answer, isComplete: false };
  if (row.summary === null) return { ...answer, isComplete: true };

  const registration: Registration =
    row.summary === '' && row.record !== null
      ? readRegistration(row.record, (error) => onParserError?.(endpoint, error))
      : { ...JSON.parse(row.summary), ...(row.record !== null && JSON.parse(row.record)) };

  return {
    ...answer,
    registration: () => registration,
    characters: charactersOf(row),
    isComplete: row.record !== null,
  };
}

/**
 * Returns the size of a row in memory, in characters of JSON, including overhead for the verdict.
 */
export function charactersOf({ summary, record }: PartialAnswerRow): number {
  return 500 + (summary?.length ?? 0) + (record?.length ?? 0);
}

// Words instead of JSON save space: every row contains them.
function evidenceToText({ sources = [], ...evidence }: Evidence, endpoint: string): string {
  const { httpStatus, mediaType, unproven, isInAccessPeriod } = evidence;
  return [
    httpStatus ?? '-',
    mediaType ?? '-',
    ...(unproven ? ['unproven'] : []),
    ...(isInAccessPeriod ? ['access-period'] : []),
    ...sources.map(({ source, answer }) => `${source}=${answer}`),
    ...sources.map((report) => exchangeToText(report, endpoint)),
  ].join(' ');
}

/**
 * Returns a word with the exchange of a source, which earlier versions ignore. The endpoint is left
 * out if it is that of the answer.
 */
function exchangeToText(report: SourceReport, ownEndpoint: string): string {
  const { askedAt, answeredAt, controlsPassedAt, httpStatus, pattern, endpoint } = report;
  const server = endpoint === ownEndpoint ? '=' : endpoint;
  return `@${[askedAt, answeredAt, controlsPassedAt, httpStatus, pattern, server].join(',')}`;
}

/** Returns the exchange in a word; empty without a word. */
function exchangeOf(word: string | undefined, ownEndpoint: string): Partial<SourceReport> {
  const [askedAt, answeredAt, controlsPassedAt, httpStatus, pattern, ...server] =
    word?.slice(1).split(',') ?? [];
  const endpoint = server.join(',');

  return {
    ...(askedAt && { askedAt: Number(askedAt) }),
    ...(answeredAt && { answeredAt: Number(answeredAt) }),
    ...(controlsPassedAt && { controlsPassedAt: Number(controlsPassedAt) }),
    ...(httpStatus && { httpStatus: Number(httpStatus) }),
    ...(pattern && { pattern }),
    ...(endpoint && { endpoint: endpoint === '=' ? ownEndpoint : endpoint }),
  };
}

function parseEvidence(text: string, ownEndpoint: string): Evidence {
  const [httpStatus, mediaType = '', ...words] = text.split(' ');
  const exchanges = words.filter((word) => word.startsWith('@'));
  const sources = words
    .flatMap((word) => {
      const [kind, answer] = word.split('=');
      const source = sourceKinds.find((each) => each === kind);
      return source && answer !== undefined ? [{ source, answer }] : [];
    })
    .map((report, index) => ({ ...report, ...exchangeOf(exchanges[index], ownEndpoint) }));

  return {
    ...(httpStatus !== '-' && { httpStatus: Number(httpStatus), mediaType }),
    unproven: words.includes('unproven'),
    ...(words.includes('access-period') && { isInAccessPeriod: true }),
    ...(sources.length > 0 && { sources }),
  };
}

/**
 * Caches rows in memory up to a number of characters; when full, it evicts the least recently used.
 */
export class RowCache {
  readonly #rows: LRUCache<string, PartialAnswerRow>;

  constructor(maxCharacters: number) {
    this.#rows = new LRUCache({ maxSize: maxCharacters, sizeCalculation: charactersOf });
  }

  get(name: string): PartialAnswerRow | undefined {
    return this.#rows.get(name);
  }

  /** Stores a row, unless the stored one is newer. */
  put(row: PartialAnswerRow): void {
    if (replaces(row, this.#rows.peek(row.name))) this.#rows.set(row.name, row);
  }

  /**
   * Deletes rows older than `answersBefore`, and the records of rows older than `recordsBefore`
   * (epoch ms). Yields to other requests after each record, which takes up to a millisecond.
   */
  async sweep(answersBefore: number, recordsBefore: number): Promise<void> {
    for (const [name, row] of Array.from(this.#rows.entries())) {
      if (this.#rows.peek(name) !== row) continue;
      if (row.checkedAt < answersBefore) this.#rows.delete(name);
      else if (row.checkedAt < recordsBefore && hasRecord(row)) {
        this.#rows.set(name, { ...row, summary: summaryWithoutRecord(row), record: null });
        await yieldToEventLoop();
      }
    }
  }

  clear(): void {
    this.#rows.clear();
  }
}
