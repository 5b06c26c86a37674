import { connect, isIP, type Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import { checkedLookup, ForbiddenAddressError, type Resolve } from '../../public-address.ts';

/** What was received, and what ended it. */
export interface ReceivedReply {
  readonly bytes: Buffer;
  readonly end: ReplyEnd;
  readonly cause?: Error;
}

/**
 * `complete`: the last line was received, or the server closed the connection after sending
 * something. `forbidden`: the host has no address that may be connected to.
 */
export type ReplyEnd = 'complete' | 'too_large' | 'timeout' | 'disconnected' | 'forbidden';

export interface DasQuery {
  readonly host: string;
  readonly port: number;
  readonly text: string;
  readonly isAllowed: (address: string) => boolean;
  readonly resolve: Resolve | undefined;
  /** Returns whether the received bytes contain the last line of the reply. */
  readonly isLast: (bytes: Buffer) => boolean;
  readonly timeLimitMs: number;
  readonly clock: Clock;
}

/** The largest documented reply has less than 500 bytes. */
const maxReplyBytes = 4096;

/** Sends a query over a new connection and reads the reply. Never rejects. */
export function exchange(query: DasQuery): Promise<ReceivedReply> {
  return new Exchange(query).reply;
}

class Exchange {
  readonly #query: DasQuery;
  readonly #reply = Promise.withResolvers<ReceivedReply>();
  readonly #cancelTimer: () => void;
  #bytes: Buffer = Buffer.alloc(0);
  #socket: Socket | undefined;

  constructor(query: DasQuery) {
    this.#query = query;
    this.#cancelTimer = query.clock.after(query.timeLimitMs, () => this.#end('timeout'));
    this.#start();
  }

  get reply(): Promise<ReceivedReply> {
    return this.#reply.promise;
  }

  #start(): void {
    const { host, port, text, isAllowed, resolve } = this.#query;
    if (isIP(host) && !isAllowed(host)) return this.#end('forbidden');
    const lookup = checkedLookup(isAllowed, resolve);
    this.#socket = connect({ host, port, lookup, autoSelectFamily: true })
      .on('data', (chunk: Buffer) => this.#read(chunk))
      .on('end', () => this.#end(this.#bytes.length > 0 ? 'complete' : 'disconnected'))
      .on('error', (error) =>
        this.#end(error instanceof ForbiddenAddressError ? 'forbidden' : 'disconnected', error),
      );
    this.#socket.write(text);
  }

  #read(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#bytes, chunk]);
    this.#bytes = bytes.subarray(0, maxReplyBytes);
    if (this.#query.isLast(this.#bytes)) this.#end('complete');
    else if (bytes.length > maxReplyBytes) this.#end('too_large');
  }

  #end(end: ReplyEnd, cause?: Error): void {
    this.#cancelTimer();
    this.#socket?.destroy();
    this.#reply.resolve({ bytes: this.#bytes, end, ...(cause && { cause }) });
  }
}
