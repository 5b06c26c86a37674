import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadResult } from './load.ts';
import { serveParent } from './part.ts';

serveParent<LoadOrder>('ready', putLoad);

/** A connection that is kept alive, with one request on its way at most: no pipelining. */
interface Line {
  /** Sends a request and tells whether the answer was a 200. */
  ask(request: Buffer, answered: (good: boolean) => void): void;
  close(): void;
}

type Send = (line: Line, askedAt: number, answered: () => void) => void;

async function putLoad({
  port,
  requests,
  seconds,
  connections,
  rate,
  addresses = 1,
  settleSeconds = 0,
}: LoadOrder): Promise<LoadResult> {
  const sendable = requests.map((request) => Buffer.from(request));
  const tookMs: number[] = [];
  let answers = 0;
  let failures = 0;
  let sent = 0;
  let settledAt = 0;
  const send: Send = (line, askedAt, answered) => {
    line.ask(sendable[sent++ % sendable.length] ?? Buffer.alloc(0), (good) => {
      if (good) answers += 1;
      else failures += 1;
      if (good && askedAt >= settledAt) tookMs.push(performance.now() - askedAt);
      answered();
    });
  };
  const lines = await Promise.all(
    Array.from({ length: connections }, (_, index) => openLine(port, loopback(index % addresses))),
  );
  const startedAt = performance.now();
  settledAt = startedAt + settleSeconds * 1000;
  const endsAt = startedAt + seconds * 1000;
  if (rate === undefined) await Promise.all(lines.map((line) => keepBusy(line, send, endsAt)));
  else await keepPace(lines, send, rate, startedAt, endsAt);
  const perSecond = (answers / (performance.now() - startedAt)) * 1000;
  for (const line of lines) line.close();
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => tookMs[Math.floor(tookMs.length * share)] ?? NaN;
  return { answers, failures, perSecond, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** The next as soon as one is answered. */
function keepBusy(line: Line, send: Send, endsAt: number): Promise<void> {
  return new Promise((resolve) => {
    const next = () => {
      const now = performance.now();
      if (now < endsAt) send(line, now, next);
      else resolve();
    };
    next();
  });
}

/** So many a second, whether or not earlier ones are answered: one that finds no idle line is late, and its waiting counts. */
function keepPace(
  lines: readonly Line[],
  send: Send,
  rate: number,
  startedAt: number,
  endsAt: number,
): Promise<void> {
  const idle = [...lines];
  const waitingSince: number[] = [];
  let due = 0;

  function dispatch(): void {
    while (waitingSince.length > 0) {
      const line = idle.pop();
      if (!line) return;
      send(line, waitingSince.shift() ?? 0, () => {
        idle.push(line);
        dispatch();
      });
    }
  }

  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      if (now >= endsAt && idle.length === lines.length) {
        clearInterval(timer);
        return resolve();
      }
      const dueByNow = ((Math.min(now, endsAt) - startedAt) / 1000) * rate;
      for (; due < dueByNow; due++) waitingSince.push(now);
      dispatch();
    }, 1);
  });
}

/** Addresses of 127.0.0.0/8, in order. */
function loopback(index: number): string {
  return `127.0.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

/** A line that connects again when the server closes its connection after an answer, as `Connection: close` announces. */
async function openLine(port: number, localAddress: string): Promise<Line> {
  let answered: ((good: boolean) => void) | undefined;
  let received: Buffer | undefined;
  /** Bytes of the body that are still to come, once the head has been read. */
  let missing: number | undefined;
  let good = false;
  let lastAnswer = false;
  let closing = false;
  let socket = await connected();

  function read(chunk: Buffer): void {
    if (missing === undefined) {
      received = received ? Buffer.concat([received, chunk]) : chunk;
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = received.toString('latin1', 0, headEnd);
      good = head.startsWith('HTTP/1.1 200');
      lastAnswer = /\r\nconnection: close/i.test(head);
      missing =
        headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]) - received.length;
    } else missing -= chunk.length;
    if (missing > 0) return;
    received = undefined;
    missing = undefined;
    if (!lastAnswer) answered?.(good);
  }

  async function reconnect(): Promise<void> {
    lastAnswer = false;
    socket = await connected();
    answered?.(good);
  }

  function connected(): Promise<Socket> {
    const opened = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    opened.on('data', read);
    opened.on('close', () => {
      if (closing) return;
      // An order that cannot be carried out ends this process, which its parent hears of.
      if (!lastAnswer) throw new Error('the server closed a connection');
      void reconnect();
    });
    return new Promise((resolve, reject) => {
      opened.on('error', reject);
      opened.on('connect', () => resolve(opened));
    });
  }

  return {
    ask(request, then) {
      answered = then;
      socket.write(request);
    },
    close() {
      closing = true;
      socket.destroy();
    },
  };
}
