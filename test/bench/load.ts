import { join } from 'node:path';
import { processorSeconds } from '../support/requests/processor-time.ts';
import { startChildProcess, type ChildProcess } from './part.ts';

/** The requests to send, and how fast. */
export interface LoadOptions {
  readonly port: number;
  /** Complete HTTP/1.1 requests, sent in rotation. */
  readonly requests: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests per second; without it, each connection sends the next request after a response. */
  readonly rate?: number;
  /** Latencies before this time are ignored: at the start, all connections send at once. */
  readonly settleSeconds?: number;
  /** Number of loopback addresses of the connections (Linux only); by default, one. */
  readonly addresses?: number;
}

export interface LoadResult {
  /** Responses with status 200. */
  readonly answers: number;
  /** Responses with another status. */
  readonly failures: number;
  /** Responses with status 200 per second. */
  readonly perSecond: number;
  /** Median latency of responses with status 200. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Puts load on a server from a separate process. */
export interface Load extends AsyncDisposable {
  /** Measures responses. Rejects unless every response was a 200, as rejections are fast. */
  measure(order: LoadOptions): Promise<LoadResult>;
  /** Puts more load on the server than it can serve: other statuses are part of the result. */
  overload(order: LoadOptions): Promise<LoadResult>;
}

/** Starts the process. */
export async function startLoad(): Promise<Load> {
  const childProcess: ChildProcess<unknown> = await startChildProcess(
    join(import.meta.dirname, 'load-process.ts'),
  );
  return {
    overload: (order) => childProcess.request<LoadResult>(order),
    async measure(order) {
      const result = await childProcess.request<LoadResult>(order);
      if (result.failures > 0 || result.answers === 0)
        throw new Error(
          `${result.failures} of ${result.failures + result.answers} requests failed.`,
        );
      return result;
    },
    [Symbol.asyncDispose]: () => childProcess[Symbol.asyncDispose](),
  };
}

/** The processor time of a server under load. Linux only. */
export interface ProcessorTime {
  /** Of all threads per response, in microseconds. */
  readonly perAnswer: number;
  readonly answers: number;
}

/**
 * Measures a server with this process ID. A busy machine makes the gateway shed load; such a round
 * says nothing about the code and is measured again, up to four times.
 */
export async function processorTime(
  load: Load,
  pid: number,
  order: LoadOptions,
): Promise<ProcessorTime> {
  let total = 0;
  for (let tries = 1; ; tries += 1) {
    const before = processorSeconds([pid]);
    const { answers, failures } = await load.overload(order);
    total += answers;
    const perAnswer = ((processorSeconds([pid]) - before) * 1e6) / answers;
    if (failures === 0 && answers > 0) return { perAnswer, answers: total };
    if (tries === 5) throw new Error(`${failures} of ${failures + answers} requests failed.`);
  }
}

/** Returns the text of a GET request. */
export function getRequest(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return requestText('GET', path, headers, '');
}

/** Returns the text of a POST request with JSON. */
export function postRequest(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return requestText(
    'POST',
    path,
    { 'content-type': 'application/json', 'content-length': length, ...headers },
    text,
  );
}

function requestText(
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
