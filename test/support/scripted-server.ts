import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../src/clock.ts';
import { replyOf, type FakeRequest, type Script } from './replies.ts';

export interface ServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Times the requests, `delayed` and `drip`. */
  readonly clock?: Clock;
}

/** A real server on a port of its own that remembers what it was asked. */
export interface ScriptedServer extends AsyncDisposable {
  /** With a slash at its end. */
  readonly baseUrl: string;
  readonly requests: readonly FakeRequest[];
  /** Requests that came and whose answer has not left, nor their caller. */
  readonly inFlight: number;
  readonly peakInFlight: number;
  url(path: string): string;
  /** Settles as soon as what has been asked and is in flight satisfies the condition. */
  when(condition: (server: Traffic) => boolean): Promise<void>;
  /** Cuts whatever is still open. Closing twice is fine. */
  close(): Promise<void>;
}

export async function startScriptedServer(
  scriptFor: (request: FakeRequest) => Script,
  options: ServerOptions = {},
): Promise<ScriptedServer> {
  const { tls, clock = systemClock } = options;
  const traffic = new Traffic();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = requestOf(incoming, clock.now());
    // Node would send the real time, and the gateway under test may have another: a test that needs a Date sends its own.
    response.sendDate = false;
    traffic.begin(request, response);
    // What a script throws is left to be an unhandled rejection: it fails the test run, as a wrong test should.
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
      const met = condition(this);
      if (met) resolve();
      return !met;
    });
  }
}

function requestOf(incoming: IncomingMessage, at: number): FakeRequest {
  const { method = '', url = '', headers } = incoming;
  const [, encoded = ''] = /\/domain\/([^/?]*)(?:\?|$)/.exec(url) ?? [];
  return { name: decodeURIComponent(encoded), method, url, headers, at };
}

async function closeNow(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
