import { connect } from 'node:net';

export interface LoadOptions {
  readonly url: string;
  /** A whole HTTP/1.1 request, as it goes over the wire. */
  readonly request: string;
  readonly seconds: number;
  /** Requests at once, at most. */
  readonly connections: number;
  /** Requests a second, whether or not earlier ones are answered; absent: the next as soon as one is answered. */
  readonly rate?: number;
}

export interface LoadResult {
  /** Answers a second, by status. */
  readonly perSecond: Readonly<Record<string, number>>;
  readonly latencyMs: Readonly<Record<string, Spread>>;
  /** Requests whose connection was closed without an answer. */
  readonly lost: number;
}

export interface Spread {
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
}

/** Sends the same request over connections that are kept alive; cheap enough to send ten times what the gateway can answer. */
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

  async function useLine(): Promise<void> {
    let line = openLine(url);
    while (elapsed() < seconds) {
      if (!isDue()) await new Promise((resolve) => setTimeout(resolve, 2));
      if (!isDue()) continue;
      sent += 1;
      const sentAt = performance.now();
      const status = await line.ask(request);
      (latencies[status ?? ''] ??= []).push(performance.now() - sentAt);
      if (status !== undefined) continue;
      lost += 1;
      line = openLine(url);
    }
    line.close();
  }

  await Promise.all(Array.from({ length: connections }, useLine));
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

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0);
  return { median: at(0.5), p99: at(0.99), longest: at(1) };
}

interface Line {
  /** The status of the answer; undefined when there is none. */
  ask(request: string): Promise<string | undefined>;
  close(): void;
}

function openLine(url: string): Line {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let received = '';
  let asked: PromiseWithResolvers<string | undefined> | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    received += String(chunk);
    const bodyAt = received.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, bodyAt))?.[1]);
    if (received.length < bodyAt + length) return;
    const status = received.slice(9, 12);
    received = '';
    asked?.resolve(status);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => asked?.resolve(undefined));
  return {
    ask(request) {
      asked = Promise.withResolvers();
      if (socket.destroyed) asked.resolve(undefined);
      else socket.write(request);
      return asked.promise;
    },
    close: () => void socket.destroy(),
  };
}
