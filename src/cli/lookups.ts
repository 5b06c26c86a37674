import * as v from 'valibot';
import type { Confirm } from '../domain/source.ts';
import { isLookupProblem } from '../domain/problems.ts';
import type { RestFetch } from '../api/rest/in-process.ts';
import type { CsvRow } from '../shared/csv.ts';
import { jsonIn } from '../shared/shapes.ts';
import { groupsOf } from './call-groups.ts';
import { CommandError, usageError, exitCodes } from './command-error.ts';
import {
  changesShape,
  objectShape,
  recordShape,
  tldsShape,
  watchesShape,
  type ChangePage,
  type NameRecord,
  type ObjectRecord,
  type TldRow,
  type WatchRow,
} from './output/records.ts';

/** The result of one name, with the fields of a result in the REST API. */
export interface CheckRow extends CsvRow {
  readonly index: number;
  /** The name as typed. */
  readonly input: string;
  readonly domain: string;
  /** Null without a verdict; `reason` is then a problem code. */
  readonly available: boolean | null;
  /** In lower case, such as `pending_delete`. Values may be added. */
  readonly status: string;
  readonly reason?: string;
  /** What happened, in one sentence. Absent in responses of older gateways. */
  readonly detail?: string;
}

export interface CheckRequest {
  /** Full names. Equal names are looked up once. */
  readonly names: readonly string[];
  /** Maximum age of a cached answer in seconds; undefined for the default freshness. */
  readonly maxAge: number | undefined;
  readonly confirm: Confirm;
}

/** The REST API of a gateway, or of this process. */
export interface RestApi extends AsyncDisposable {
  /** Continues "… is not reachable". */
  readonly name: string;
  /** Rejects with an Error if there is no response. */
  readonly fetch: RestFetch;
  /** Rejects with `CommandError` if it is certain that the network cannot be reached. */
  readonly online: Promise<void>;
  /** The maximum number of names in a bulk call. */
  readonly maxNames: number;
}

export const rowShape = v.looseObject({
  index: v.number(),
  input: v.string(),
  domain: v.string(),
  available: v.nullable(v.boolean()),
  status: v.string(),
  registrable_name: v.nullish(v.string()),
});

/** Exceeds the number of TLDs. */
const maxTlds = 10_000;
/** The size of a page of changes. */
const maxChanges = 500;

/** Looks names up through a REST API. All methods reject with `CommandError`. */
export class Lookups implements AsyncDisposable {
  readonly #api: RestApi;
  readonly #offline: Promise<never>;

  constructor(api: RestApi) {
    this.#api = api;
    this.#offline = api.online.then(() => new Promise<never>(() => undefined));
    this.#offline.catch(() => undefined);
  }

  /**
   * Yields one row per name, in the order in which the lookups complete; a failed lookup is a row
   * with a reason. A host name, a URL or an e-mail address is looked up as the name that it belongs
   * to.
   */
  async *check(request: CheckRequest): AsyncGenerator<CheckRow, void, void> {
    const hosts: { readonly row: CheckRow; readonly name: string }[] = [];
    for await (const row of this.#rows(request)) {
      const { registrable_name: name } = row;
      if (row.status === 'invalid' && typeof name === 'string') hosts.push({ row, name });
      else yield row;
    }
    const names = hosts.map(({ name }) => name);
    for await (const row of this.#rows({ ...request, names })) {
      const { index, input } = hosts[row.index]?.row ?? row;
      yield { ...row, index, input, registrable_name: row.domain };
    }
  }

  async *#rows({ names, maxAge, confirm }: CheckRequest): AsyncGenerator<CheckRow, void, void> {
    let first = 0;
    for (const domains of groupsOf(names, this.#api.maxNames)) {
      const response = await this.#fetch('v1/status/bulk', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
        body: JSON.stringify({
          domains,
          ...(maxAge !== undefined && { max_age: maxAge }),
          confirm: confirm.toLowerCase(),
        }),
      });
      if (!response.ok) throw this.#errorOf(response, jsonIn(await this.#reach(response.text())));
      let count = 0;
      for await (const line of this.#linesIn(response)) {
        const row = jsonIn(line);
        if (!v.is(rowShape, row)) continue;
        count += 1;
        await this.#ruleOutOffline(row.domain, row['reason']);
        yield { ...row, index: first + row.index } as CheckRow;
      }
      if (count < domains.length)
        throw this.#failure(`sent ${count} of ${domains.length} results. Run the command again`);
      first += domains.length;
    }
  }

  /**
   * Resolves to the record of a name, or of that to which a host name belongs, as in
   * `GET /v1/rdap`. After a failed lookup, it has a problem.
   */
  async record(name: string, maxAge: number | undefined): Promise<NameRecord> {
    try {
      return await this.#get('v1/rdap', { domain: name, max_age: maxAge }, recordShape);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { code, detail } = error.problem;
      if (code === 'invalid_name') {
        const { value: row } = await this.#rows({ names: [name], maxAge, confirm: 'ALL' }).next();
        if (typeof row?.registrable_name === 'string')
          return this.record(row.registrable_name, maxAge);
      }
      if (code !== 'unsupported_tld' && !isLookupProblem(code)) throw error;
      const status = code === 'unsupported_tld' ? code : 'unknown';
      const none = { nameservers: [], registration: null, rdap: null, problem: { code, detail } };
      return { input: name, domain: name, available: null, status, reason: code, ...none };
    }
  }

  /** Resolves to an IP network or an AS number as in `GET /v1/rdap`. */
  object(query: string, maxAge: number | undefined): Promise<ObjectRecord> {
    return this.#get('v1/rdap', { query, max_age: maxAge }, objectShape);
  }

  /** Resolves to the TLDs whose names can be looked up, as in `GET /v1/tlds`. */
  async tlds(): Promise<readonly TldRow[]> {
    return (await this.#get('v1/tlds', { limit: maxTlds }, tldsShape)).tlds;
  }

  /** Watches names, as with `POST /v1/watches`. */
  async watch(names: readonly string[]): Promise<readonly WatchRow[]> {
    const rows: WatchRow[] = [];
    for (const domains of groupsOf(names, this.#api.maxNames)) {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify({ domains }) } as const;
      rows.push(...(await this.#call('v1/watches', request, watchesShape)).watches);
    }
    return rows;
  }

  /** Ends the watch of a name. Resolves to why it is not watched; undefined if it was. */
  async unwatch(name: string): Promise<Pick<GatewayProblem, 'code' | 'detail'> | undefined> {
    const path = `v1/watches/${encodeURIComponent(name)}`;
    try {
      await this.#call(path, { method: 'DELETE', headers: {} }, v.unknown());
      return undefined;
    } catch (error) {
      if (!(error instanceof GatewayError && isOfName.has(error.problem.code))) throw error;
      const { code, detail } = error.problem;
      return { code, detail };
    }
  }

  /** Resolves to a page of the changes after an id, by default from the oldest. */
  changes(after: string | undefined): Promise<ChangePage> {
    return this.#get('v1/changes', { after, limit: maxChanges }, changesShape);
  }

  async #get<Shape extends v.GenericSchema>(
    path: string,
    query: Readonly<Record<string, string | number | undefined>>,
    shape: Shape,
  ): Promise<v.InferOutput<Shape>> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    try {
      return await this.#call(`${path}?${parameters}`, { headers: {} }, shape);
    } catch (error) {
      if (error instanceof GatewayError)
        await this.#ruleOutOffline(String(query['domain'] ?? ''), error.problem.code);
      throw error;
    }
  }

  async #call<Shape extends v.GenericSchema>(
    path: string,
    { headers, ...request }: Parameters<RestFetch>[1],
    shape: Shape,
  ): Promise<v.InferOutput<Shape>> {
    const accept = 'application/json, application/problem+json';
    const response = await this.#fetch(path, { ...request, headers: { accept, ...headers } });
    const body = jsonIn(await this.#reach(response.text()));
    if (response.ok && v.is(shape, body)) return body;
    throw this.#errorOf(response, body);
  }

  /** Throws if a lookup failed because of the network, and not of its registry. */
  async #ruleOutOffline(name: string, code: unknown): Promise<void> {
    if (isLookupProblem(code) && !name.endsWith('.test')) await this.#api.online;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#api[Symbol.asyncDispose]();
  }

  #fetch(...request: Parameters<RestFetch>): Promise<Response> {
    return this.#reach(this.#api.fetch(...request), 'is not reachable', 'Check --server');
  }

  async *#linesIn({ body }: Response): AsyncGenerator<string, void, void> {
    if (!body) return;
    const lines = linesOf(body);
    const next = () => this.#reach(lines.next());
    for (let line = await next(); !line.done; line = await next()) yield line.value;
  }

  /** Resolves to `result`, unless the network or the connection fails. */
  async #reach<T>(
    result: Promise<T>,
    failure = 'closed the connection',
    cure = 'Run the command again',
  ): Promise<T> {
    try {
      return await Promise.race([result, this.#offline]);
    } catch (error) {
      // Errors of `fetch` and of its bodies are of this type; the reason is their cause.
      if (!(error instanceof TypeError) || !(error.cause instanceof Error)) throw error;
      throw this.#failure(`${failure}: ${error.cause.message}. ${cure}`);
    }
  }

  #errorOf({ status }: Response, body: unknown): CommandError {
    if (v.is(problemShape, body)) return new GatewayError(body);
    return usageError(
      `--server must be the address of an RDAP gateway; the response of ${this.#api.name} (HTTP status ${status}) is not that of one.`,
    );
  }

  #failure(what: string): CommandError {
    return new CommandError(exitCodes.unknown, `The gateway at ${this.#api.name} ${what}.`);
  }
}

/** Problems of one name, after which the others can be processed. */
const isOfName = new Set(['invalid_name', 'not_found', 'unsupported_tld']);

const problemShape = v.object({ status: v.number(), code: v.string(), detail: v.string() });
type GatewayProblem = v.InferOutput<typeof problemShape>;

/** A problem of the REST API. A client error is invalid usage, unless the same request may succeed later. */
class GatewayError extends CommandError {
  readonly problem: GatewayProblem;

  constructor(problem: GatewayProblem) {
    const { status, code, detail } = problem;
    const isUsage = status < 500 && ![402, 408, 429].includes(status);
    super(isUsage ? exitCodes.usage : exitCodes.unknown, `${detail} (${code})`);
    this.problem = problem;
  }
}

/** Yields the non-empty lines of a UTF-8 text as they arrive. Throws the errors of `chunks`. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter(Boolean);
  }
  if (rest) yield rest;
}
