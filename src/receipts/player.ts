import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { Problem } from '../domain/problems.ts';
import type { AttemptRequest } from '../domain/source.ts';
import type { Receive } from '../outbound/client.ts';
import { ProxyError } from '../outbound/dispatcher.ts';
import { UnreadableBodyError } from '../outbound/encodings.ts';
import { responseHead, TimeoutError } from '../outbound/exchange.ts';
import { ForbiddenAddressError } from '../outbound/public-address.ts';
import type { Permit, RequestQueue } from '../outbound/queues/request-queue.ts';
import { decodeMessage, matchResponse, questionOf } from '../registries/dns/message.ts';
import type { DnsExchange, ExchangeResult } from '../registries/dns/transport.ts';
import type { ExchangeText } from '../registries/whois/tcp-source.ts';
import type { RecordedContent, ExchangeOf, Payload, RecordedExchange } from './payload.ts';
import type { Edge } from './recorder.ts';

/** The recorded answers do not lead to a verdict. */
export class ReplayError extends Error {}

/** Time that passes only when nothing else can happen. Events come before timers of the same time. */
class ReplayClock implements Clock {
  #now: number;
  #timers: { readonly at: number; readonly rank: number; readonly task: () => void }[] = [];

  constructor(startedAt: number) {
    this.#now = startedAt;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, task: () => void, rank = 1): () => void {
    const timer = { at: this.#now + Math.max(0, Math.ceil(ms)), rank, task };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((each) => each !== timer));
  }

  /** Resolves at a time. */
  async until(time: number): Promise<void> {
    if (time <= this.#now) return;
    await new Promise<void>((resolve) => void this.after(time - this.#now, resolve, 0));
  }

  /** Lets time pass until a promise settles. Rejects with `ReplayError` if it cannot. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => void (isSettled = true);
    promise.then(settle, settle);

    for (;;) {
      await yieldToEventLoop();
      if (isSettled) return promise;

      const [first, ...others] = this.#timers.toSorted((a, b) => a.at - b.at || a.rank - b.rank);
      if (!first) throw new ReplayError('The recorded answers end before there is a verdict.');

      this.#timers = others;
      this.#now = Math.max(this.#now, first.at);
      first.task();
    }
  }
}

/** Answers a lookup with what was recorded, at the recorded times. */
export class Player {
  readonly #clock: ReplayClock;
  /** The recorded exchanges that have not been used, by their queries. */
  readonly #waiting: Map<string, RecordedExchange[]>;
  readonly #turns = new Map<string, number>();
  readonly edge: Edge;

  constructor({ exchanges, started_at: startedAt }: Payload) {
    this.#clock = new ReplayClock(Date.parse(startedAt));
    this.#waiting = Map.groupBy(exchanges, keyOf);
    const queueOf = (url: string) => this.#queue(url);
    const resolve = (type: string) => (name: string) => this.#resolve(type, name);

    this.edge = {
      clock: this.#clock,
      route: ({ href }) => this.#route(href),
      receive: (request) => this.#receive(request),
      exchangeText: (query) => this.#exchangeText(query),
      exchange: (...call) => this.#exchange(...call),
      resolver: {
        resolveNs: resolve('NS') as Edge['resolver']['resolveNs'],
        resolve4: resolve('A') as Edge['resolver']['resolve4'],
        resolve6: resolve('AAAA') as Edge['resolver']['resolve6'],
      },
      queueOf,
      redirectQueueOf: queueOf,
    };
  }

  /** Runs a lookup at this edge. Rejects with `ReplayError`. */
  run<T>(lookup: Promise<T>): Promise<T> {
    return this.#clock.run(lookup);
  }

  /** Returns the next recorded exchange of a kind when it ends. Never resolves without one. */
  async #next<S extends RecordedExchange['source']>(key: string): Promise<ExchangeOf<S>> {
    const exchange = this.#waiting.get(key)?.shift();
    if (!exchange || exchange.ended_at === null) return new Promise(() => {});
    await this.#clock.until(Date.parse(exchange.ended_at));
    return exchange as ExchangeOf<S>;
  }

  #route(href: string): ReturnType<Edge['route']> {
    const [first] = this.#waiting.get(`rdap ${href}`) ?? [];
    const isRefused = first?.source === 'rdap' && first.failure === 'not_allowed';
    if (isRefused) this.#waiting.get(`rdap ${href}`)?.shift();
    return isRefused ? undefined : unused;
  }

  async #receive({ url, onMismatch }: Parameters<Receive>[0]): ReturnType<Receive> {
    const exchange = await this.#next<'rdap'>(`rdap ${url.href}`);
    const { status, headers, body, failure, mismatched } = exchange;
    if (mismatched) onMismatch?.();
    if (status === undefined || !headers || !body) throw errorOf(failure);
    return { ...responseHead(status, headers), body: bytesOf(body) };
  }

  async #exchangeText({ protocol, text }: Parameters<ExchangeText>[0]) {
    const exchange = await this.#next<'das' | 'whois'>(`${protocol.kind} ${text}`);
    const { end = 'disconnected', reply } = exchange;
    return { end, bytes: reply ? bytesOf(reply) : Buffer.alloc(0) };
  }

  async #exchange(...[transport, server, query]: Parameters<DnsExchange>): Promise<ExchangeResult> {
    const { address, port } = server;
    const key = `dns ${transport} ${address} ${port} ${questionOf(query)}`;
    const { query: sent, response, failure } = await this.#next<'dns'>(key);
    if (response === undefined) return { failure: failure ?? 'closed' };

    const bytes = Buffer.from(response, 'base64');
    const recorded = { message: Buffer.from(sent, 'base64'), hasEdns: query.hasEdns };
    const isResponse = questionOf(recorded) === questionOf(query);
    const match = isResponse ? matchResponse(bytes, recorded) : 'none';
    const message = match === 'none' ? undefined : decodeMessage(bytes);

    return message ? { message, bytes } : { failure: 'closed' };
  }

  async #resolve(type: string, name: string): Promise<readonly unknown[]> {
    const { answer, failure } = await this.#next<'resolver'>(`resolver ${type} ${name}`);
    if (answer) return answer;
    throw Object.assign(new Error('The resolver failed.'), { code: failure });
  }

  #queue(url: string): RequestQueue {
    const wait = async (key: string, grant: () => Permit) => {
      const { problem } = await this.#next<'queue'>(key);
      if (!problem) return grant();
      const { code, detail, retry_after: retryAfter } = problem;
      return new Problem(code, detail, { retryAfter });
    };
    return {
      backgroundIntervalMs: () => undefined,
      acquire: (name, request) => {
        const place = `${url} ${name}`;
        const turn = this.#turns.get(place) ?? 0;
        this.#turns.set(place, turn + 1);
        const key = `queue ${place} ${turn}`;
        const grant = () => openQueue.acquire(name, request);
        return this.#waiting.has(key) ? wait(key, grant) : grant();
      },
    };
  }
}

/** Returns the query of an exchange, as the player looks for it. */
function keyOf(exchange: RecordedExchange): string {
  const { source, name } = exchange;
  switch (source) {
    case 'rdap':
      return `rdap ${exchange.url}`;
    case 'das':
    case 'whois':
      return `${source} ${exchange.request}`;
    case 'dns': {
      const { address, port } = exchange.server;
      return `dns ${exchange.transport} ${address} ${port} ${name}`;
    }
    case 'resolver':
      return `resolver ${exchange.type} ${name}`;
    case 'queue':
      return `queue ${exchange.url} ${name} ${exchange.turn}`;
  }
}

const permit: Permit = { recordResponse: () => false, end: () => {} };

/** Lets every request be sent at once. */
export const openQueue = {
  backgroundIntervalMs: () => undefined,
  acquire(name: string, { observer }: AttemptRequest): Permit {
    observer?.onSent(name);
    return permit;
  },
} satisfies RequestQueue;

const unused = {
  dispatch(): boolean {
    throw new ReplayError('A replay sends nothing.');
  },
};

function bytesOf({ text, base64 }: RecordedContent): Buffer {
  return text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
}

/** Returns the error that a request with this failure ended with. */
function errorOf(failure: ExchangeOf<'rdap'>['failure']): Error {
  const errors = {
    timeout: new TimeoutError(),
    too_large: Object.assign(new Error(), { name: 'ResponseExceededMaxSizeError' }),
    unreadable: new UnreadableBodyError('sent a body that could not be decoded'),
    private_address: new ForbiddenAddressError(''),
    not_allowed: new Error(),
    proxy: new ProxyError('failed'),
    closed: new Error(),
  };
  return errors[failure ?? 'closed'];
}
