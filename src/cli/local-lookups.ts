import { EmbeddedLookups } from '../app/lookups.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { dedupeByDomain, parseEntry, splitEntry, type ParsedName } from '../domain/parsed-name.ts';
import { Problem } from '../domain/problems.ts';
import { fullNameInput } from '../http/rest/bulk-inputs.ts';
import { createLog } from '../log.ts';
import type { LookupOutcome } from '../lookup/lookup-outcome.ts';
import type { DomainRow } from '../lookup/row.ts';
import { usageError } from './command-error.ts';
import type { CheckRequest, CheckRow, Lookups } from './lookups.ts';
import { isNameRecord, type NameRecord } from './name-record.ts';
import { registrationBody } from './registration-body.ts';

/** Looks names up in this process. */
export class LocalLookups implements Lookups {
  readonly #lookups: EmbeddedLookups;

  private constructor(lookups: EmbeddedLookups) {
    this.#lookups = lookups;
  }

  /** Rejects with `StoreOpenError`, or with `ConfigError` for invalid settings. */
  static async open(config: Config): Promise<LocalLookups> {
    const options = { clock: systemClock, log: createLog('silent') };
    return new LocalLookups(await EmbeddedLookups.open(config, options));
  }

  async *check({ names, ...limits }: CheckRequest): AsyncGenerator<CheckRow, void, void> {
    const inputs = names.map(fullNameInput);
    const inputsByEntry = Map.groupBy(inputs.entries(), ([, { entry }]) => entry);
    const distinct = dedupeByDomain(inputs.map(({ entry }) => parseEntry(entry)));
    for await (const row of this.#rowsOf(distinct, limits)) {
      const outcome = await row.outcome();
      for (const [index, { rawInput }] of inputsByEntry.get(row.domain) ?? [])
        yield {
          index,
          input: rawInput,
          ...nameIn(row, outcome, rawInput),
          ...verdictBody(outcome),
        };
    }
  }

  async record(name: string, maxAge: number | undefined): Promise<NameRecord> {
    const rows = this.#lookups.lookUp([parseEntry(name)], { detail: 'record', maxAge });
    const { value: row } = await rows.next();
    if (!row) throw new Error('The lookup of a record has no row.');
    const outcome = await row.outcome();
    const { problem } = outcome;
    const registration = outcome.registration?.();
    const record = {
      input: name,
      domain: nameIn(row, outcome, name).domain,
      ...verdictBody(outcome),
      nameservers: registration?.hosts.map((host) => host.name) ?? [],
      registration: registration ? registrationBody(registration) : null,
      rdap: registration?.raw ?? null,
      ...(problem && { problem: { code: problem.code, detail: problem.message } }),
    };
    if (!isNameRecord(record)) throw new Error('The record is not that of the REST API.');
    return record;
  }

  async *#rowsOf(
    names: readonly ParsedName[],
    limits: Omit<CheckRequest, 'names'>,
  ): AsyncGenerator<DomainRow, void, void> {
    try {
      yield* this.#lookups.lookUp(names, { detail: 'verdict', ...limits });
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'too_many_lookups')) throw error;
      throw usageError(`${error.message} Set MAX_LOOKUPS to change the limit.`);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lookups[Symbol.asyncDispose]();
  }
}

/** Returns the name of a row; that of an invalid row is shown as it was typed. */
function nameIn({ domain, tld }: DomainRow, { status }: LookupOutcome, rawInput: string) {
  if (status !== 'INVALID') return { domain, tld };
  return { domain: rawInput.trim(), tld: splitEntry(rawInput.trim()).suffix };
}

/** Returns the fields of a verdict. They are those of the REST API, in the same order. */
function verdictBody(outcome: LookupOutcome) {
  const { available, status, confidence, source, endpoint, checkedAt, problem } = outcome;
  return {
    available,
    status: status.toLowerCase(),
    confidence: confidence?.toLowerCase() ?? null,
    source,
    rdap_endpoint: endpoint,
    cached: outcome.cached,
    stale: outcome.stale,
    checked_at: checkedAt === null ? null : new Date(checkedAt).toISOString(),
    latency_ms: Math.round(outcome.latencyMs),
    ...(available === null && problem && { reason: problem.code }),
  };
}
