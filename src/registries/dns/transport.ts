import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { DecodedPacket } from 'dns-packet';
import type { Clock } from '../../clock.ts';
import { decodeMessage, matchResponse, type DnsQuery } from './message.ts';

/** An address of a name server. */
export interface DnsServer {
  readonly address: string;
  readonly port: number;
  /** The name of the name server, if it was found with a resolver. */
  readonly host?: string;
}

export type Transport = 'udp' | 'tcp';

export interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * `other_case`: a response over UDP whose question has another case. `closed`: the server refuses or
 * closes the connection, or sends something else than a response. `unroutable`: there is no route to
 * the address.
 */
export const exchangeFailures = [
  'timeout',
  'other_case',
  'closed',
  'unroutable',
  'aborted',
] as const;
export type ExchangeFailure = (typeof exchangeFailures)[number];

export type ExchangeResult =
  | { readonly message: DecodedPacket; /** As received. */ readonly bytes: Buffer }
  | { readonly failure: ExchangeFailure };

/** Sends a query to a server and returns its response. Never rejects. */
export type DnsExchange = (
  transport: Transport,
  server: DnsServer,
  query: DnsQuery,
  limits: ExchangeLimits,
) => Promise<ExchangeResult>;

/** Returns a `DnsExchange` that uses the network. */
export function networkExchange(clock: Clock): DnsExchange {
  return (transport, server, query, { timeoutMs, signal }) =>
    new Promise((resolve) => {
      let isSettled = false;
      const connection: { close?: () => void } = {};

      const settle = (result: ExchangeResult) => {
        isSettled = true;
        cancelTimer();
        signal.removeEventListener('abort', onAbort);
        connection.close?.();
        resolve(result);
      };

      const onAbort = () => settle({ failure: 'aborted' });
      const cancelTimer = clock.after(timeoutMs, () => settle({ failure: 'timeout' }));
      connection.close = (transport === 'udp' ? sendOverUdp : sendOverTcp)(server, query, settle);

      // A socket that cannot be bound emits its error at once.
      if (isSettled) connection.close();
      else if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
}

type Settle = (result: ExchangeResult) => void;

/**
 * Sends a query from a new socket, which has a random port. The socket is connected, so that the
 * kernel drops datagrams from other addresses. Datagrams that are not the response are ignored,
 * because they may be forged. Calls `settle` later, and possibly more than once until the returned
 * function is called.
 */
function sendOverUdp({ address, port }: DnsServer, query: DnsQuery, settle: Settle): () => void {
  const family = isIPv6(address) ? 6 : 4;
  const socket = createSocket({
    type: `udp${family}`,
    lookup: (host, _options, callback) => callback(null, host, family),
  });
  let isClosed = false;

  socket.on('error', (error) => settle({ failure: failureOf(error) }));
  socket.on('message', (datagram) => {
    const match = matchResponse(datagram, query);
    if (match === 'other_case') return settle({ failure: match });
    const message = match === 'exact' ? decodeMessage(datagram) : undefined;
    if (message) settle({ message, bytes: datagram });
  });

  // Without callbacks, all errors are emitted as `error` events.
  socket.on('connect', () => {
    if (!isClosed) socket.send(query.message);
  });
  socket.connect(port, address);

  return () => {
    if (isClosed) return;
    isClosed = true;
    socket.close();
  };
}

/** Sends a query over a new connection, with a length in front of each message (RFC 7766). */
function sendOverTcp({ address, port }: DnsServer, query: DnsQuery, settle: Settle): () => void {
  const socket = connect({ host: address, port });
  let received: Buffer = Buffer.alloc(0);
  socket.on('error', (error) => settle({ failure: failureOf(error) }));
  socket.on('close', () => settle({ failure: 'closed' }));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const response = completeMessage(received);
    if (!response) return;
    const message = matchResponse(response, query) === 'none' ? undefined : decodeMessage(response);
    settle(message ? { message, bytes: response } : { failure: 'closed' });
  });

  const length = Buffer.alloc(lengthBytes);
  length.writeUInt16BE(query.message.length);
  socket.write(Buffer.concat([length, query.message]));

  return () => socket.destroy();
}

const lengthBytes = 2;

function completeMessage(received: Buffer): Buffer | undefined {
  if (received.length < lengthBytes) return undefined;
  const end = lengthBytes + received.readUInt16BE(0);
  return received.length < end ? undefined : received.subarray(lengthBytes, end);
}

const unroutableCodes: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function failureOf({ code }: NodeJS.ErrnoException): ExchangeFailure {
  return code !== undefined && unroutableCodes.has(code) ? 'unroutable' : 'closed';
}
