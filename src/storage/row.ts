import type { StoredAnswer } from '../cache/store.ts';
import type { Evidence } from '../domain/registry.ts';
import type { Registration } from '../domain/registration.ts';

/** What a registry said of a name, without the registration, as the stores keep it. */
export type VerdictRow = Pick<StoredAnswer, 'name' | 'verdict' | 'endpoint' | 'checkedAt'> & {
  /** Milliseconds since the epoch; null where nobody said. */
  readonly expiresAt: number | null;
  readonly evidence: string | null;
};

/** A whole answer: its registration is JSON in two parts, so that one can be forgotten before the other. */
export type Row = VerdictRow & {
  /** What is known of the registration; null for a name that nobody holds. */
  readonly summary: string | null;
  /** Its contacts and the registry's own object; null once they are forgotten. */
  readonly record: string | null;
};

/** A row of which the registration may not have been read. */
export type PartialRow = VerdictRow & Partial<Row>;

export function knowsRegistration(row: PartialRow): row is Row {
  return row.summary !== undefined;
}

export function toRow({ registration, whole, name, verdict, endpoint, checkedAt, expiresAt, evidence }: StoredAnswer): Row {
  const row = { name, verdict, endpoint, checkedAt, expiresAt: expiresAt ?? null, evidence: evidence ? fromEvidence(evidence) : null };
  if (!registration) return { ...row, summary: null, record: null };
  const { contacts, registrant, raw, ...rest } = registration();
  const summary: Registration = { ...rest, contacts: [] };
  return { ...row, summary: JSON.stringify(summary), record: whole ? JSON.stringify({ contacts, registrant, raw }) : null };
}

/** The verdict alone, also of a whole row. */
export function fromVerdictRow({ name, verdict, endpoint, checkedAt, expiresAt, evidence }: VerdictRow): StoredAnswer {
  const facts = { ...(expiresAt !== null && { expiresAt }), ...(evidence !== null && { evidence: toEvidence(evidence) }) };
  return { name, verdict, endpoint, checkedAt, ...facts, whole: false };
}

/** Throws `SyntaxError` when a part is no longer JSON. */
export function fromRow({ summary, record, ...row }: Row): StoredAnswer {
  const verdict = fromVerdictRow(row);
  if (summary === null) return { ...verdict, whole: true };
  const registration: Registration = { ...JSON.parse(summary), ...(record !== null && JSON.parse(record)) };
  return { ...verdict, registration: () => registration, whole: record !== null };
}

// A word or two in place of JSON: every row has it.
function fromEvidence({ httpStatus, mediaType, unproven }: Evidence): string {
  return `${httpStatus} ${mediaType}${unproven ? ' unproven' : ''}`;
}

function toEvidence(text: string): Evidence {
  const [httpStatus, mediaType = '', unproven] = text.split(' ');
  return { httpStatus: Number(httpStatus), mediaType, unproven: unproven !== undefined };
}
