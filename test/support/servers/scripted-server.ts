import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { replyOf, type FakeRequest, type Script } from '../bodies/replies.ts';

export interface ServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Clock of requests, `delayed` and `drip`. */
  readonly clock?: Clock;
}

/** A real server on its own port that records its requests. */
export interface ScriptedServer extends AsyncDisposable {
  /** Ends with a slash. */
  readonly baseUrl: string;
  readonly requests: readonly FakeRequest[];
  /** Requests without a complete response whose client is still connected. */
  readonly inFlight: number;
  readonly peakInFlight: number;
  url(path: string): string;
  /** Resolves when the requests satisfy the condition. */
  when(condition: (server: Traffic) => boolean): Promise<void>;
  /** Closes all connections. May be called twice. */
  close(): Promise<void>;
}

/** Starts a server that responds by script. */
export async function startScriptedServer(
  scriptFor: (request: FakeRequest) => Script,
  options: ServerOptions = {},
): Promise<ScriptedServer> {
  const { tls, clock = systemClock } = options;
  const traffic = new Traffic();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = requestOf(incoming, clock.now());
    // Node would send the real time, but the gateway under test may use another clock: a test that
    // needs a Date sends its own.
    response.sendDate = false;
    traffic.begin(request, response);
    // An error of a script is an unhandled rejection, which fails the test run.
    await (await replyOf(scriptFor(request), request)).send(response, request, clock);
  };
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => closeNow(server);
  return {
    baseUrl,
    requests: traffic.requests,
    get inFlight() {
      return traffic.inFlight;
    },
    get peakInFlight() {
      return traffic.peakInFlight;
    },
    url: (path) => new URL(path, baseUrl).href,
    when: (condition) => traffic.when(condition),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Records requests and notifies waiting tests. */
export class Traffic {
  readonly requests: FakeRequest[] = [];
  inFlight = 0;
  peakInFlight = 0;
  #waiting: { condition: (traffic: Traffic) => boolean; resolve: () => void }[] = [];

  begin(request: FakeRequest, response: ServerResponse): void {
    this.requests.push(request);
    this.inFlight += 1;
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
    response.once('close', () => {
      this.inFlight -= 1;
      this.#changed();
    });
    this.#changed();
  }

  when(condition: (traffic: Traffic) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ condition, resolve });
      this.#changed();
    });
  }

  #changed(): void {
    this.#waiting = this.#waiting.filter(({ condition, resolve }) => {
      const isMet = condition(this);
      if (isMet) resolve();
      return !isMet;
    });
  }
}

function requestOf(incoming: IncomingMessage, at: number): FakeRequest {
  const { method = '', url = '', headers } = incoming;
  const [, encoded = ''] = /\/domain\/([^/?]*)(?:\?|$)/.exec(url) ?? [];
  const [, object = ''] = /\/((?:ip|autnum|entity|nameserver)\/[^?]*)/.exec(url) ?? [];
  return { name: decodeURIComponent(encoded || object), method, url, headers, at };
}

async function closeNow(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
