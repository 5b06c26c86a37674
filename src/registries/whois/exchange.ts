import { connect, isIP, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import {
  checkedLookup,
  ForbiddenAddressError,
  type Resolve,
} from '../../outbound/public-address.ts';

/** What was received, and what ended it. */
export interface ReceivedReply {
  readonly bytes: Buffer;
  readonly end: ReplyEnd;
  readonly cause?: Error;
}

/**
 * `complete`: the last line was received, or the server closed the connection after sending
 * something. `unreachable`: no connection was established. `disconnected`: the server reset the
 * connection, or closed it without a reply. `forbidden`: the host has no address that may be
 * connected to.
 */
export type ReplyEnd =
  'complete' | 'too_large' | 'timeout' | 'unreachable' | 'disconnected' | 'forbidden';

export interface TextQuery {
  readonly host: string;
  readonly port: number;
  readonly text: string;
  readonly isAllowed: (address: string) => boolean;
  readonly resolve: Resolve | undefined;
  /**
   * Returns whether the received bytes contain the last line of the reply. Without it, the server
   * ends the reply by closing the connection.
   */
  readonly isLast: ((bytes: Buffer) => boolean) | undefined;
  readonly maxReplyBytes: number;
  readonly timeLimitMs: number;
  readonly clock: Clock;
}

/** Sends a query over a new connection and reads the reply. Never rejects. */
export function exchange(query: TextQuery): Promise<ReceivedReply> {
  return new Exchange(query).reply;
}

class Exchange {
  readonly #query: TextQuery;
  readonly #reply = Promise.withResolvers<ReceivedReply>();
  readonly #cancelTimer: () => void;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #isConnected = false;
  #socket: Socket | undefined;

  constructor(query: TextQuery) {
    this.#query = query;
    this.#cancelTimer = query.clock.after(query.timeLimitMs, () => this.#end('timeout'));
    this.#start();
  }

  get reply(): Promise<ReceivedReply> {
    return this.#reply.promise;
  }

  get #bytes(): Buffer {
    return Buffer.concat(this.#chunks).subarray(0, this.#query.maxReplyBytes);
  }

  #start(): void {
    const { host, port, text, isAllowed, resolve } = this.#query;
    if (isIP(host) && !isAllowed(host)) return this.#end('forbidden');
    const lookup = checkedLookup(isAllowed, resolve);
    this.#socket = connect({ host, port, lookup, autoSelectFamily: true })
      .on('connect', () => (this.#isConnected = true))
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('end', () => this.#end(this.#length > 0 ? 'complete' : 'disconnected'))
      .on('error', (error) => {
        if (error instanceof ForbiddenAddressError) this.#end('forbidden', error);
        else this.#end(this.#isConnected ? 'disconnected' : 'unreachable', error);
      });
    this.#socket.write(text);
  }

  #read(chunk: Buffer): void {
    const { isLast, maxReplyBytes } = this.#query;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (isLast?.(this.#bytes)) this.#end('complete');
    else if (this.#length > maxReplyBytes) this.#end('too_large');
  }

  #end(end: ReplyEnd, cause?: Error): void {
    this.#cancelTimer();
    this.#socket?.destroy();
    this.#reply.resolve({ bytes: this.#bytes, end, ...(cause && { cause }) });
  }
}
