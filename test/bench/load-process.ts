import { connect, type Socket } from 'node:net';
import type { LoadOptions, LoadResult } from './load.ts';
import { serveParent } from './part.ts';

serveParent<LoadOptions>('ready', applyLoad);

/** A persistent connection with at most one request in flight, without pipelining. */
interface Connection {
  /** Sends a request and reports whether the response was a 200. */
  send(request: Buffer, onAnswer: (isOk: boolean) => void): void;
  close(): void;
}

type Send = (connection: Connection, sentAt: number, onAnswer: () => void) => void;

async function applyLoad({
  port,
  requests,
  seconds,
  connections,
  rate,
  addresses = 1,
  settleSeconds = 0,
}: LoadOptions): Promise<LoadResult> {
  const sendable = requests.map((request) => Buffer.from(request));
  const tookMs: number[] = [];
  let answers = 0;
  let failures = 0;
  let sent = 0;
  let settledAt = 0;
  const send: Send = (connection, sentAt, onAnswer) => {
    connection.send(sendable[sent++ % sendable.length] ?? Buffer.alloc(0), (isOk) => {
      if (isOk) answers += 1;
      else failures += 1;
      if (isOk && sentAt >= settledAt) tookMs.push(performance.now() - sentAt);
      onAnswer();
    });
  };
  const lines = await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      openConnection(port, loopback(index % addresses)),
    ),
  );
  const startedAt = performance.now();
  settledAt = startedAt + settleSeconds * 1000;
  const endsAt = startedAt + seconds * 1000;
  if (rate === undefined)
    await Promise.all(lines.map((connection) => runClosedLoop(connection, send, endsAt)));
  else await runOpenLoop(lines, send, rate, startedAt, endsAt);
  const perSecond = (answers / (performance.now() - startedAt)) * 1000;
  for (const connection of lines) connection.close();
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => tookMs[Math.floor(tookMs.length * share)] ?? NaN;
  return { answers, failures, perSecond, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Sends the next request as soon as one is answered. */
function runClosedLoop(connection: Connection, send: Send, endsAt: number): Promise<void> {
  return new Promise((resolve) => {
    const next = () => {
      const now = performance.now();
      if (now < endsAt) send(connection, now, next);
      else resolve();
    };
    next();
  });
}

/**
 * Sends requests at a fixed rate, independently of responses. A request that finds no idle
 * connection waits, and its waiting time counts.
 */
function runOpenLoop(
  lines: readonly Connection[],
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
      const connection = idle.pop();
      if (!connection) return;
      send(connection, waitingSince.shift() ?? 0, () => {
        idle.push(connection);
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

/** Returns the addresses of 127.0.0.0/8 in order. */
function loopback(index: number): string {
  return `127.0.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}

/**
 * Opens a connection that reconnects when the server closes it after a response with `Connection:
 * close`.
 */
async function openConnection(port: number, localAddress: string): Promise<Connection> {
  let onAnswer: ((isOk: boolean) => void) | undefined;
  let received: Buffer | undefined;
  /** Remaining bytes of the body, after the head was read. */
  let remainingBytes: number | undefined;
  let isOk = false;
  let isLastAnswer = false;
  let isClosing = false;
  let socket = await connectSocket();

  function read(chunk: Buffer): void {
    if (remainingBytes === undefined) {
      received = received ? Buffer.concat([received, chunk]) : chunk;
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = received.toString('latin1', 0, headEnd);
      isOk = head.startsWith('HTTP/1.1 200');
      isLastAnswer = /\r\nconnection: close/i.test(head);
      remainingBytes =
        headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]) - received.length;
    } else remainingBytes -= chunk.length;
    if (remainingBytes > 0) return;
    received = undefined;
    remainingBytes = undefined;
    if (!isLastAnswer) onAnswer?.(isOk);
  }

  async function reconnect(): Promise<void> {
    isLastAnswer = false;
    socket = await connectSocket();
    onAnswer?.(isOk);
  }

  function connectSocket(): Promise<Socket> {
    const opened = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    opened.on('data', read);
    opened.on('close', () => {
      if (isClosing) return;
      // Throwing ends this process, which its parent detects.
      if (!isLastAnswer) throw new Error('The server closed a connection.');
      void reconnect();
    });
    return new Promise((resolve, reject) => {
      opened.on('error', reject);
      opened.on('connect', () => resolve(opened));
    });
  }

  return {
    send(request, then) {
      onAnswer = then;
      socket.write(request);
    },
    close() {
      isClosing = true;
      socket.destroy();
    },
  };
}
