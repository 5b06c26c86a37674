import { errorCode } from '../shared/error-code.ts';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import { ProxyError } from '../outbound/dispatcher.ts';
import { UnreadableBodyError } from '../outbound/encodings.ts';
import { TimeoutError, type RawResponse } from '../outbound/exchange.ts';
import type { HttpClientOptions, Receive } from '../outbound/client.ts';
import { ForbiddenAddressError } from '../outbound/public-address.ts';
import type { RequestQueue } from '../outbound/queues/request-queue.ts';
import type { DnsExchange } from '../registries/dns/transport.ts';
import { questionOf } from '../registries/dns/message.ts';
import type { ZoneResolver } from '../registries/dns/zone-servers.ts';
import type { ExchangeText, ReceivedReply } from '../registries/whois/tcp-source.ts';
import type { RecordedContent, ExchangeOf, httpFailures, RecordedExchange } from './payload.ts';
import { redactedBody, redactedReply, type Redact } from './redaction.ts';

/** What a lookup needs of the world: where bytes enter, and where it waits. */
export interface Edge {
  readonly route: HttpClientOptions['route'];
  readonly receive: Receive;
  readonly exchangeText: ExchangeText;
  readonly exchange: DnsExchange;
  readonly resolver: ZoneResolver;
  readonly queueOf: (url: string) => RequestQueue;
  readonly redirectQueueOf: (url: string) => RequestQueue;
  readonly clock: Clock;
}

type Fields<S extends RecordedExchange['source']> = Omit<
  ExchangeOf<S>,
  'role' | 'sent_at' | 'ended_at'
>;

/** Records everything that enters through an edge. */
export class Recorder {
  /** In the order in which they began. */
  readonly #exchanges: RecordedExchange[] = [];
  readonly #domain: string;
  readonly #edge: Edge;
  readonly #onSent: () => void;
  readonly #turns = new Map<string, number>();
  readonly edge: Edge;

  /** `onSent` is called before each request. */
  constructor(domain: string, edge: Edge, onSent: () => void = () => undefined) {
    this.#domain = domain;
    this.#onSent = onSent;
    this.#edge = { ...edge, clock: wholeMilliseconds(edge.clock) };
    const { clock } = this.#edge;

    this.edge = {
      clock,
      route: (url) => this.#route(url),
      receive: (request) => this.#receive(request),
      exchangeText: (query) => this.#exchangeText(query),
      exchange: (...call) => this.#exchange(...call),
      resolver: {
        resolveNs: (name) => this.#resolve('NS', name, edge.resolver.resolveNs),
        resolve4: (name) => this.#resolve('A', name, edge.resolver.resolve4),
        resolve6: (name) => this.#resolve('AAAA', name, edge.resolver.resolve6),
      },
      queueOf: (url) => this.#queue(url, edge.queueOf(url)),
      redirectQueueOf: (url) => this.#queue(url, edge.redirectQueueOf(url)),
    };
  }

  /** Returns what was recorded so far. */
  exchanges(): readonly RecordedExchange[] {
    return structuredClone(this.#exchanges);
  }

  #start<S extends RecordedExchange['source']>(fields: Fields<S>): ExchangeOf<S> {
    if (fields.source !== 'queue') this.#onSent();
    const role = fields.name === this.#domain ? 'lookup' : 'control';
    const started = { ...fields, role, sent_at: this.#time(), ended_at: null };
    this.#exchanges.push(started as unknown as RecordedExchange);
    return started as unknown as ExchangeOf<S>;
  }

  #end<E extends RecordedExchange>(exchange: E, fields: Partial<E>): void {
    Object.assign(exchange, fields, { ended_at: this.#time() });
  }

  #time(): string {
    return new Date(this.#edge.clock.now()).toISOString();
  }

  #route(url: URL): ReturnType<Edge['route']> {
    try {
      const dispatcher = this.#edge.route(url);
      if (dispatcher) return dispatcher;
    } catch (error) {
      this.#refuse(url);
      throw error;
    }

    this.#refuse(url);
    return undefined;
  }

  #refuse(url: URL): void {
    this.#end(this.#start(httpFields(url, {})), { failure: 'not_allowed' });
  }

  async #receive(request: Parameters<Receive>[0]): Promise<RawResponse> {
    const exchange = this.#start(httpFields(request.url, request.headers));
    const onMismatch = () => {
      exchange.mismatched = true;
      request.onMismatch?.();
    };

    try {
      const response = await this.#edge.receive({ ...request, onMismatch });
      const { status, body } = response;
      const { 'set-cookie': _cookies, ...headers } = response.headers;

      this.#end(exchange, {
        status,
        headers: headers as NonNullable<typeof exchange.headers>,
        body: contentOf(body, response.header('content-type') ?? '', redactedBody(status)),
      });

      return response;
    } catch (error) {
      this.#end(exchange, { failure: failureOf(error) });
      throw error;
    }
  }

  async #exchangeText(query: Parameters<ExchangeText>[0]): Promise<ReceivedReply> {
    const { protocol, host, port, text, name } = query;
    const server = `${protocol.kind}://${host.includes(':') ? `[${host}]` : host}:${port}/`;
    const fields = { source: protocol.kind, name, server, request: text };
    const exchange = this.#start<'das' | 'whois'>(fields);
    const received = await this.#edge.exchangeText(query);
    const redact = protocol.kind === 'whois' ? redactedReply(protocol, name) : undefined;

    this.#end(exchange, {
      end: received.end,
      reply: contentOf(received.bytes, 'text/plain', redact),
    });

    return received;
  }

  async #exchange(...[transport, server, query, limits]: Parameters<DnsExchange>) {
    const { address, port, host } = server;
    const exchange = this.#start<'dns'>({
      source: 'dns',
      name: questionOf(query),
      server: { address, port, ...(host !== undefined && { host }) },
      transport,
      query: Buffer.from(query.message).toString('base64'),
    });
    const result = await this.#edge.exchange(transport, server, query, limits);

    this.#end(
      exchange,
      'bytes' in result
        ? { response: result.bytes.toString('base64') }
        : { failure: result.failure },
    );

    return result;
  }

  async #resolve<T extends string | { readonly address: string; readonly ttl: number }>(
    type: 'NS' | 'A' | 'AAAA',
    name: string,
    resolve: (name: string) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const exchange = this.#start<'resolver'>({ source: 'resolver', name, type });
    try {
      const answer = await resolve(name);
      this.#end(exchange, { answer: [...answer] });
      return answer;
    } catch (error) {
      this.#end(exchange, { failure: errorCode(error) || 'unknown error' });
      throw error;
    }
  }

  #queue(url: string, queue: RequestQueue): RequestQueue {
    return {
      backgroundIntervalMs: () => queue.backgroundIntervalMs(),
      acquire: (name, request) => {
        const turn = this.#turns.get(`${url} ${name}`) ?? 0;
        this.#turns.set(`${url} ${name}`, turn + 1);
        const acquired = queue.acquire(name, request);
        if (!(acquired instanceof Promise || acquired instanceof Problem)) return acquired;

        const exchange = this.#start<'queue'>({ source: 'queue', name, url, turn });
        const end = (permit: Awaited<typeof acquired>) => {
          this.#end(exchange, permit instanceof Problem ? { problem: problemOf(permit) } : {});
          return permit;
        };

        return acquired instanceof Promise ? acquired.then(end) : end(acquired);
      },
    };
  }
}

/** Times are recorded in whole milliseconds, so the lookup must not see parts of them. */
function wholeMilliseconds(clock: Clock): Clock {
  const [startedAt, startElapsed] = [clock.now(), clock.elapsed()];
  const now = () => startedAt + Math.floor(clock.elapsed() - startElapsed);

  return { now, elapsed: now, after: (ms, task) => clock.after(ms, task) };
}

function httpFields(url: URL, headers: Readonly<Record<string, string>>): Fields<'rdap'> {
  const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  return { source: 'rdap', name, method: 'GET', url: url.href, request_headers: { ...headers } };
}

/** Returns in one word why there is no response. */
function failureOf(error: unknown): (typeof httpFailures)[number] {
  const name = error instanceof Error ? error.name : '';
  if (error instanceof TimeoutError || name === 'ConnectTimeoutError') return 'timeout';
  if (name === 'ResponseExceededMaxSizeError') return 'too_large';
  if (error instanceof UnreadableBodyError) return 'unreadable';
  if (error instanceof ForbiddenAddressError) return 'private_address';
  return error instanceof ProxyError ? 'proxy' : 'closed';
}

function problemOf({ code, message, retryAfter }: Problem) {
  return { code, detail: message, ...(retryAfter !== undefined && { retry_after: retryAfter }) };
}

/** Returns bytes as text if they are text, or else in base64, after redaction. */
function contentOf(received: Uint8Array, mediaType: string, redact?: Redact): RecordedContent {
  const bytes = Buffer.from(received);
  const kept = redact?.(bytes) ?? bytes;
  const text = kept.toString('utf8');
  const isText = Buffer.from(text).equals(kept);

  return {
    media_type: mediaType,
    ...(isText ? { text } : { base64: kept.toString('base64') }),
    size: bytes.length,
    redacted: !kept.equals(bytes),
  };
}
