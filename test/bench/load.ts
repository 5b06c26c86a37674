import { join } from 'node:path';
import { startPart, type Part } from './part.ts';

/** What is to be sent, and how fast. */
export interface LoadOrder {
  readonly port: number;
  /** Whole HTTP/1.1 requests, sent in turn. */
  readonly requests: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second; without it, each connection sends the next as soon as it has its answer. */
  readonly rate?: number;
  /** Latencies count from then on only: at the start all connections send at once. */
  readonly settleSeconds?: number;
  /** Loopback addresses that the connections are spread over (Linux only); without it, one. */
  readonly addresses?: number;
}

export interface LoadResult {
  /** Answers with status 200. */
  readonly answers: number;
  /** Other answers. */
  readonly failures: number;
  /** Answers with status 200 a second. */
  readonly perSecond: number;
  /** Of the answers with status 200. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Puts load on a server from a process of its own. */
export interface Load extends AsyncDisposable {
  /** Rejects unless every answer was a 200: a server that refuses is fast. */
  put(order: LoadOrder): Promise<LoadResult>;
  /** Puts more load than the server can serve: other answers are part of the result. */
  overload(order: LoadOrder): Promise<LoadResult>;
}

export async function startLoad(): Promise<Load> {
  const part: Part<unknown> = await startPart(join(import.meta.dirname, 'load-process.ts'));
  return {
    overload: (order) => part.ask<LoadResult>(order),
    async put(order) {
      const result = await part.ask<LoadResult>(order);
      if (result.failures > 0 || result.answers === 0)
        throw new Error(`${result.failures} failures beside ${result.answers} answers`);
      return result;
    },
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  };
}

/** A GET as it goes over the wire. */
export function getRequest(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return onTheWire('GET', path, headers, '');
}

/** A POST of JSON as it goes over the wire. */
export function postRequest(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return onTheWire(
    'POST',
    path,
    { 'content-type': 'application/json', 'content-length': length, ...headers },
    text,
  );
}

function onTheWire(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
