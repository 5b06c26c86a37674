import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readFileSync } from 'node:fs';
import { addressLimitId } from '../accounts/caller-address.ts';
import { normalizeAddress } from '../domain/names/ip-address.ts';
import type { Log } from '../log.ts';
import { FairShares } from './fair-shares.ts';
import type { Connection, Responder, ResponderOptions } from './responder.ts';

type ConnectionOptions = Pick<ResponderOptions, 'trustedProxies' | 'timeouts'>;

/** The limit of a connection, which is not read while further requests are queued. */
const maxPendingResponses = 10;
/**
 * The limit of a connection, because one read may contain thousands of pipelined requests. A client
 * that sends more is disconnected.
 */
const maxQueuedRequests = 100;

/**
 * Tracks the open connections of a server and the pending responses of each. Must be created before
 * other listeners are added to the server.
 */
export class HttpConnections {
  /** Whether the gateway stops, and no longer keeps connections open. */
  isStopping = false;
  /** Whether each connection is ended once it has no pending response. */
  isEnding = false;
  readonly #open = new Map<Duplex, ServerConnection>();
  readonly #responder: Responder;
  readonly #options: ConnectionOptions;
  readonly #shares: FairShares;
  #accepted = 0;

  constructor(server: Server, responder: Responder, options: ConnectionOptions) {
    this.#responder = responder;
    this.#options = options;
    this.#shares = new FairShares(server.maxConnections);
    server.on('connection', (socket) => this.#add(socket));

    // Node still emits the requests of the last read after a connection was destroyed.
    server.on(
      'request',
      (request, response) =>
        void (request.socket.destroyed || this.#open.get(request.socket)?.add(request, response)),
    );
  }

  get open(): number {
    return this.#open.size;
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** Returns the responses of a connection that have not been sent completely, in order. */
  pendingResponses(connection: Duplex): readonly ServerResponse[] {
    return this.#open.get(connection)?.pendingResponses ?? [];
  }

  /** Ends each connection once it has no pending response. */
  endWhenIdle(): void {
    this.isEnding = true;
    for (const connection of this.#open.values()) connection.endIfIdle();
  }

  /** Serves a request of a connection. `onClose` sets the task to run when the response closes. */
  serve(request: IncomingMessage, response: ServerResponse, onClose: Connection['onClose']): void {
    this.#responder.receive(request, response, {
      onClose,
      // Closing the connection after any other response would leave the rest unsent.
      isLast: () => this.isStopping && this.pendingResponses(request.socket).at(-1) === response,
    });
  }

  #add(socket: Socket): void {
    this.#accepted += 1;
    const release = this.#takeShare(socket);
    if (!release) return void socket.destroy();

    this.#open.set(socket, new ServerConnection(socket, this, this.#options));
    socket.once('close', () => {
      this.#open.delete(socket);
      release();
    });
  }

  /** Accepts a connection, at most a tenth of all per address. Returns what releases its share. */
  #takeShare({ remoteAddress }: Socket): (() => void) | undefined {
    const peer = normalizeAddress(remoteAddress ?? '');
    // A trusted proxy connects on behalf of many clients.
    if (peer !== undefined && this.#options.trustedProxies.has(peer)) return () => undefined;
    return this.#shares.take(addressLimitId(peer) ?? '');
  }
}

class ServerConnection {
  readonly #socket: Socket;
  readonly #connections: HttpConnections;
  readonly #options: ConnectionOptions;
  // Not `Set`s: after rehashing, each old hash table references its successor, which keeps
  // responses that were sent alive until the next full garbage collection.
  readonly #pending: ServerResponse[] = [];
  readonly #queued: (readonly [IncomingMessage, ServerResponse])[] = [];

  constructor(socket: Socket, connections: HttpConnections, options: ConnectionOptions) {
    this.#socket = socket;
    this.#connections = connections;
    this.#options = options;
    // Node resumes the socket whenever it has read a request.
    socket.on('resume', () => this.#queued.length > 0 && socket.pause());
  }

  get pendingResponses(): readonly ServerResponse[] {
    return [...this.#pending, ...this.#queued.map(([, response]) => response)];
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#socket.writableEnded) request.resume();
    else if (this.#pending.length < maxPendingResponses) this.#start(request, response);
    else if (this.#queued.push([request, response]) > maxQueuedRequests) this.#socket.destroy();
    else this.#socket.pause();
  }

  /**
   * Closes the sending side only, and reads on until the close timeout: closing a socket that has
   * unread data resets the connection, and a request may be in transit (RFC 9112 section 9.6).
   */
  endIfIdle(): void {
    if (this.#pending.length + this.#queued.length > 0 || this.#socket.writableEnded) return;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), this.#options.timeouts.closeTimeoutMs).unref();
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#pending.push(response);
    let closed: (() => void) | undefined;

    // One listener only: for a second one, `events` allocates an array. V8 allocates these arrays
    // in the old generation once many have survived, and everything that they reference, which
    // includes the request, then survives until the next full garbage collection.
    response.on('close', () => {
      this.#finish(response);
      closed?.();
    });
    this.#connections.serve(request, response, (task) => void (closed = task));
  }

  #finish(response: ServerResponse): void {
    this.#pending.splice(this.#pending.indexOf(response), 1);
    if (this.#socket.destroyed) return;
    const next = this.#queued.shift();
    if (next) this.#start(...next);
    if (next && this.#queued.length === 0) this.#socket.resume();
    if (this.#connections.isEnding) this.endIfIdle();
  }
}

const defaultMaxConnections = 10_000;
/** File descriptors reserved for connections to registries, the store and the sandbox. */
const reservedFiles = 500;

/** Returns the maximum number of connections. Logs a warning if the open file limit lowers it. */
export function maxConnections(log: Log): number {
  const limit = openFileLimit();
  const max = maxConnectionsFor(limit);
  if (max < defaultMaxConnections) {
    log.warn(
      `Open file limit is ${limit}: at most ${max} connections are accepted. Raise it (LimitNOFILE, ulimit -n).`,
    );
  }

  return max;
}

/** Returns the maximum number of connections for an open file limit. */
export function maxConnectionsFor(limit: number): number {
  return Math.min(defaultMaxConnections, Math.max(limit - reservedFiles, Math.floor(limit / 2)));
}

/** Returns the open file limit of this process; Infinity if it cannot be read. */
function openFileLimit(): number {
  try {
    const softLimit = /^Max open files +(\d+)/m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    )?.[1];
    return softLimit === undefined ? Infinity : Number(softLimit);
  } catch {
    return Infinity; // `/proc` exists only on Linux
  }
}
