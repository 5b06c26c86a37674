// What sources over TCP make of replies that arrive in odd ways.
import type { Socket } from 'node:net';
import type { Answer } from '../../../src/domain/answer.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Source } from '../../../src/domain/source.ts';
import type { DasScript } from '../../support/servers/fake-das-server.ts';

export type Reply = string | Buffer | DasScript;
/** Replies by the outcome of a lookup, then by the name that is looked up and a title: `a.at: text`. */
export type Replies = Readonly<Record<string, Readonly<Record<string, Reply>>>>;

/** Returns the rows of a table for a test. */
export const rowsOf = (table: Replies) =>
  Object.entries(table).flatMap(([outcome, replies]) =>
    Object.entries(replies).map(([title, reply]) => {
      const [name = ''] = title.split(':');
      return { title, name, reply, outcome };
    }),
  );

/** Returns the verdict of a lookup, or its problem with the kind of failure. */
export async function outcomeOf(source: Source, name: string): Promise<string> {
  const signal = new AbortController().signal;
  const { data, problem, provenance }: Answer = await source.lookup(
    { name: splitName(parseDomainName(name)), detail: 'verdict' },
    { signal, queueDeadline: Infinity, account: 'alice', priority: 'single' },
  );
  if (!problem) return `${data?.verdict}${provenance.mayBeRegistered ? ', may be registered' : ''}`;
  const after = problem.retryAfter === undefined ? '' : ` after ${problem.retryAfter} s`;
  return `${problem.code}${after}${provenance.failure ? `, ${provenance.failure}` : ''}`;
}

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Sends a text and keeps the connection open. */
export function open(text: string): DasScript {
  return (_query, socket) => void socket.write(text);
}

/** Sends one byte at a time and closes the connection. */
export function inSingleBytes(bytes: Buffer): DasScript {
  return (_query, socket) => send(socket, bytes, () => socket.end());
}

/** Sends one byte at a time and keeps the connection open. */
export function drip(text: string): DasScript {
  return (_query, socket) => send(socket, Buffer.from(text), () => {});
}

function send(socket: Socket, bytes: Buffer, done: () => void): undefined {
  if (socket.destroyed) return;
  if (bytes.length === 0) return done() as undefined;
  socket
    .setNoDelay()
    .write(bytes.subarray(0, 1), () => setImmediate(send, socket, bytes.subarray(1), done));
}

/** Sends a text and resets the connection once the client has it. */
export function reset(text: string): DasScript {
  return (_query, socket) => {
    if (text === '') return void socket.resetAndDestroy();
    socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));
    return undefined;
  };
}
