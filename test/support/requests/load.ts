import { connect } from 'node:net';

export interface LoadOptions {
  readonly url: string;
  /** A complete HTTP/1.1 request. */
  readonly request: string;
  readonly seconds: number;
  /** Maximum number of concurrent requests. */
  readonly connections: number;
  /**
   * Requests per second, independently of responses; without it, each connection sends the next
   * request after a response.
   */
  readonly rate?: number;
}

export interface LoadResult {
  /** Responses per second by status. */
  readonly perSecond: Readonly<Record<string, number>>;
  readonly latencyMs: Readonly<Record<string, Spread>>;
  /** Requests whose connection was closed without a response. */
  readonly lost: number;
}

export interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Sends the same request over persistent connections. Efficient enough to send ten times what the
 * gateway can answer.
 */
export async function applyLoad({
  url,
  request,
  seconds,
  connections,
  rate = Infinity,
}: LoadOptions): Promise<LoadResult> {
  const latencies: Record<string, number[]> = {};
  let sent = 0;
  let lost = 0;
  const from = performance.now();
  const elapsed = () => (performance.now() - from) / 1000;
  const isDue = () => elapsed() < seconds && sent < rate * elapsed();

  async function useConnection(): Promise<void> {
    let connection = openConnection(url);
    while (elapsed() < seconds) {
      if (!isDue()) await new Promise((resolve) => setTimeout(resolve, 2));
      if (!isDue()) continue;
      sent += 1;
      const sentAt = performance.now();
      const status = await connection.send(request);
      (latencies[status ?? ''] ??= []).push(performance.now() - sentAt);
      if (status !== undefined) continue;
      lost += 1;
      connection = openConnection(url);
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: connections }, useConnection));
  delete latencies[''];
  const took = elapsed();
  const each = <T>(of: (values: number[]) => T) =>
    Object.fromEntries(Object.entries(latencies).map(([status, values]) => [status, of(values)]));
  return {
    perSecond: each(({ length }) => Math.round(length / took)),
    latencyMs: each(spread),
    lost,
  };
}

/** Returns median, 99th percentile and maximum, rounded. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0);
  return { median: at(0.5), p99: at(0.99), max: at(1) };
}

interface Connection {
  /** Sends a request. Resolves to the status of the response, or to undefined if there is none. */
  send(request: string): Promise<string | undefined>;
  close(): void;
}

function openConnection(url: string): Connection {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let received = '';
  let pending: PromiseWithResolvers<string | undefined> | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    received += String(chunk);
    const bodyAt = received.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, bodyAt))?.[1]);
    if (received.length < bodyAt + length) return;
    const status = received.slice(9, 12);
    received = '';
    pending?.resolve(status);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => pending?.resolve(undefined));
  return {
    send(request) {
      pending = Promise.withResolvers();
      if (socket.destroyed) pending.resolve(undefined);
      else socket.write(request);
      return pending.promise;
    },
    close: () => void socket.destroy(),
  };
}
