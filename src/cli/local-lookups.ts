import { localCaller, openEmbedded, type Embedded } from '../app/embedded.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { Problem } from '../domain/problems.ts';
import { dataOf, notStreamed } from '../execution/result.ts';
import { fullNameInput } from '../http/rest/bulk-request.ts';
import { rdapOperation, recordBody, type RecordRow } from '../http/rest/endpoints/rdap.ts';
import { arrivingResults, rowsOf } from '../http/rest/bulk-results.ts';
import { rowBody, statusStreamOperation } from '../http/rest/rows.ts';
import { createLog } from '../log.ts';
import { usageError } from './command-error.ts';
import type { CheckRequest, CheckRow, Lookups } from './lookups.ts';
import { isNameRecord, type NameRecord } from './name-record.ts';

/** Looks names up in this process, with the saved operations and the results of the REST API. */
export class LocalLookups implements Lookups {
  readonly #embedded: Embedded;

  private constructor(embedded: Embedded) {
    this.#embedded = embedded;
  }

  /** Rejects with `StoreOpenError`, or with `ConfigError` for invalid settings. */
  static async open(config: Config): Promise<LocalLookups> {
    const options = { clock: systemClock, log: createLog('silent') };
    return new LocalLookups(await openEmbedded(config, options));
  }

  async *check({ names, maxAge, confirm }: CheckRequest): AsyncGenerator<CheckRow, void, void> {
    const { execution } = this.#embedded;
    const inputs = names.map(fullNameInput);
    const domains = inputs.map(({ entry }) => entry);
    const [prepared] = await Promise.all([
      execution.saved(statusStreamOperation)(),
      this.#settle(domains),
    ]);
    const operation = prepared.coerce({ domains, maxAge, confirm });
    const result = await execution.stream(
      operation,
      localCaller,
      { mode: 'streaming' },
      notStreamed,
    );
    if ('error' in result) throw withHint(result.error);
    if ('value' in result) return;
    for await (const row of arrivingResults(inputs, rowsOf(result.parts)))
      yield rowBody(row) as CheckRow;
  }

  async record(name: string, maxAge: number | undefined): Promise<NameRecord> {
    const record = recordBody(name, await this.#recordRow(name, maxAge));
    if (!isNameRecord(record)) throw new Error('The record is not that of the REST API.');
    return record;
  }

  async #recordRow(domain: string, maxAge: number | undefined): Promise<RecordRow> {
    const { execution } = this.#embedded;
    const [prepared] = await Promise.all([
      execution.saved(rdapOperation)(),
      this.#settle([domain]),
    ]);
    const operation = prepared.coerce({ domain, maxAge });
    const result = await execution.run(
      operation,
      localCaller,
      { mode: 'streaming' },
      (executed) => ({
        value: (dataOf(executed) as { readonly domain: RecordRow }).domain,
      }),
    );
    if ('value' in result) return result.value;
    const { error } = result;
    if (error instanceof Problem && error.code === 'invalid_name') return invalidRow(domain, error);
    throw error;
  }

  /** Waits for the TLDs. The sandbox is not among those that are loaded. */
  async #settle(names: readonly string[]): Promise<void> {
    if (!names.every((name) => name.endsWith('.test'))) await this.#embedded.settled;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#embedded[Symbol.asyncDispose]());
  }
}

function withHint(error: unknown): unknown {
  return error instanceof Problem && error.code === 'too_many_lookups'
    ? usageError(`${error.message} Set MAX_LOOKUPS to change the limit.`)
    : error;
}

/** Returns the row of a name that is not exactly one label under its suffix. */
function invalidRow(name: string, { code, message }: Problem): RecordRow {
  return {
    domain: name.trim(),
    available: null,
    status: 'INVALID',
    confidence: null,
    source: null,
    rdap_endpoint: null,
    cached: false,
    stale: false,
    checked_at: null,
    latency_ms: 0,
    reason: code,
    problem: { code, detail: message, retryable: false, retryAfter: null },
    cautions: [],
    registration: null,
  };
}
