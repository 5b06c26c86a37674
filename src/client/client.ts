// The npm package: `import { GatewayClient } from 'rdap-graphql-gateway/client'`, in browsers and
// Node. It has no dependencies, and imports nothing else of this project.
import type { Availability, Lookup } from './types.ts';

export { documents, GatewayError };
export type * from './types.ts';

export interface ClientOptions {
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  /** The maximum age of a cached answer, in seconds. 0 queries the registry. */
  readonly maxAge?: number | undefined;
  /** Aborts the request, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface SearchOptions extends RequestOptions {
  /**
   * Which verdicts the registry must confirm: `ALL` by default. With `AVAILABLE`, a delegated name is
   * REGISTERED with the source `dns`, without a request to the registry.
   */
  readonly confirm?: 'ALL' | 'AVAILABLE' | undefined;
}

/** One label under TLDs or sets such as `@popular`, or a list of full names. */
export type Search =
  | { readonly name: string; readonly tlds: readonly string[] }
  | { readonly domains: readonly string[] };

/**
 * A client of a gateway. Its methods reject with `GatewayError`. A lookup that failed is not an
 * error: its `available` is null, and `problem` says why.
 */
export class GatewayClient {
  readonly #endpoint: string;
  readonly #options: ClientOptions;

  /** `baseUrl` is the address of the gateway, such as `https://gateway.example`. */
  constructor(baseUrl: string | URL, options: ClientOptions = {}) {
    this.#endpoint = `${String(baseUrl).replace(/\/+$/, '')}/graphql`;
    this.#options = options;
  }

  /** Resolves to whether a name is available. */
  async check(domain: string, options: RequestOptions = {}): Promise<Availability> {
    const data = await this.#query<{ domain: Availability }>(documents.check, domain, options);
    return data.domain;
  }

  /** Resolves to a name with its registration. */
  async lookup(domain: string, options: RequestOptions = {}): Promise<Lookup> {
    const data = await this.#query<{ domain: Lookup }>(documents.lookup, domain, options);
    return data.domain;
  }

  /**
   * Yields each name as soon as its lookup has completed. Leaving the loop ends the search: lookups
   * that have not been sent are dropped, and their credits refunded.
   */
  async *search(
    search: Search,
    { maxAge, confirm, signal }: SearchOptions = {},
  ): AsyncGenerator<Availability, void, void> {
    const request = { query: documents.search, variables: { ...search, maxAge, confirm } };
    const response = await this.#post(request, 'text/event-stream', signal);
    if (!response.ok || !response.body) {
      dataOf(await readResult(response, signal), response);
      throw unexpectedResponse(response);
    }

    try {
      for await (const { type, data } of readEvents(response.body)) {
        if (type === 'complete') return;
        yield dataOf<{ availability: Availability }>(JSON.parse(data), response).availability;
      }
    } catch (error) {
      throw asGatewayError(error, signal);
    }

    throw new GatewayError(
      'connection_failed',
      'The connection was closed before the last result.',
    );
  }

  async #query<Data>(
    query: string,
    domain: string,
    { maxAge, signal }: RequestOptions,
  ): Promise<Data> {
    const request = { query, variables: { domain, maxAge } };
    const response = await this.#post(request, 'application/json', signal);
    return dataOf<Data>(await readResult(response, signal), response);
  }

  async #post(body: object, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const { apiKey, fetch = globalThis.fetch } = this.#options;
    const headers = {
      accept,
      'content-type': 'application/json',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    };
    try {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return await fetch(this.#endpoint, signal ? { ...init, signal } : init);
    } catch (error) {
      throw asGatewayError(error, signal);
    }
  }
}

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: {
      readonly code?: string;
      readonly param?: string;
      readonly retryAfter?: number;
    };
  }[];
}

/** Reads a body. Throws `GatewayError` if it is not a GraphQL result. */
async function readResult(response: Response, signal: AbortSignal | undefined): Promise<Result> {
  let text;
  try {
    text = await response.text();
  } catch (error) {
    throw asGatewayError(error, signal);
  }

  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpectedResponse(response, cause);
  }
}

/** Returns the data of a result. Throws `GatewayError` if it has errors. */
function dataOf<Data>({ data, errors }: Result, response: Response): Data {
  const { status } = response;
  const [error] = errors ?? [];
  if (!error?.extensions?.code) {
    if (!error && data) return data as Data;
    throw unexpectedResponse(response);
  }

  const { code, param, retryAfter } = error.extensions;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  throw new GatewayError(code, error.message, { status, param, retryAfter, requestId });
}

function unexpectedResponse({ status }: Response, cause?: unknown): GatewayError {
  const detail = `The response (HTTP status ${status}) is not that of a gateway. Check the address.`;
  return new GatewayError('unexpected_response', detail, { status, cause });
}

/** Returns the reason of an aborted signal, or a `GatewayError` for a connection that failed. */
function asGatewayError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof GatewayError) return error;
  return new GatewayError('connection_failed', 'The gateway cannot be reached.', { cause: error });
}

const availability = `
  domain
  unicodeName
  name
  tld
  available
  status
  confidence
  cautions { code detail }
  problem { code detail retryable retryAfter }
  source
  cached
  stale
  checkedAt
  latencyMs
` as const;

const contact = `
  roles handle kind name organization email phone fax phones { number types } url
  address { street city region postalCode country countryCode }
` as const;

const check = `query Check($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) { ${availability} }
}` as const;

const search =
  `subscription Search($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm) {
  availability(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${availability} }
}` as const;

const lookup = `query Lookup($domain: String!, $maxAge: Int) {
  domain(name: $domain, maxAge: $maxAge) {
    ${availability}
    registration {
      source
      confidence
      handle
      nameservers
      hosts { name ipv4 ipv6 }
      statuses
      registrar { name ianaId url abuseEmail abusePhone }
      registrant { ${contact} }
      contacts { ${contact} }
      createdAt
      updatedAt
      expiresAt
      dnssec { signed dsRecords { keyTag algorithm digestType digest } }
      redacted { name method reason }
      raw
    }
  }
}` as const;

/** All documents that the client sends. They never contain values: these are variables. */
const documents = { check, search, lookup } as const;

/** An event of a stream (WHATWG HTML, "server-sent events"), of the fields that the gateway sends. */
interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Yields the events of a response as they arrive. Leaving the loop ends the request. */
async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamEvent, void, void> {
  // Not `for await`: Safari's streams are not iterable.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (text + part.value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) if (!event.startsWith(':')) yield parseEvent(event);
    }
  } finally {
    await reader.cancel();
  }
}

function parseEvent(text: string): StreamEvent {
  const valueOf = (field: string) => new RegExp(`^${field}: ?(.*)$`, 'm').exec(text)?.[1] ?? '';
  return { type: valueOf('event'), data: valueOf('data') };
}

interface ErrorDetails {
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  readonly param?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** A request that the gateway rejected, or that did not reach it. */
class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /**
   * A problem code of the gateway, such as `invalid_name` or `insufficient_credits`;
   * `connection_failed` if there was no complete response, and `unexpected_response` if it is not
   * from a gateway.
   */
  readonly code: string;
  /** What happened, and what to do. */
  readonly detail: string;
  /** The parameter at fault. */
  readonly param: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  readonly status: number | undefined;
  /** Identifies the request in the log of the gateway. */
  readonly requestId: string | undefined;

  constructor(code: string, detail: string, details: ErrorDetails = {}) {
    super(`${code}: ${detail}`, { cause: details.cause });
    this.code = code;
    this.detail = detail;
    this.param = details.param;
    this.retryAfter = details.retryAfter;
    this.status = details.status;
    this.requestId = details.requestId;
  }
}
