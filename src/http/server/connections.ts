import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock.ts';

interface ConnectionOptions {
  /** Admits a connection: returns what to call when it is closed, or undefined to close it at once. */
  accept(socket: Socket): (() => void) | undefined;
  /**
   * Serves a request that has waited since `waitingSince` to be read, and may set what runs when its response is closed. Returns whether the
   * next request of its connection may wait, too.
   */
  serve(
    request: IncomingMessage,
    response: ServerResponse,
    waitingSince: number,
    onClose: (task: () => void) => void,
  ): boolean;
  /** Returns whether a connection is to pause before its next request is read; if so, `resume` is called later. */
  pause(resume: () => void): boolean;
  readonly clock: Clock;
  /** How long a connection that the server has ended is read on, in milliseconds. */
  readonly closeTimeoutMs: number;
}

/** Pending responses of one connection. While a request beyond these waits, the connection is not read. */
const maxPendingResponses = 10;
/** Requests that wait for those, as one read may hold thousands. A client that sends more at once is disconnected. */
const maxQueuedRequests = 100;

/** The open connections of a server, and the pending responses of each. Must be created before other listeners are added to the server. */
export class HttpConnections {
  readonly #open = new Map<Duplex, Connection>();
  readonly #options: ConnectionOptions;
  #accepted = 0;
  #isEnding = false;

  constructor(server: Server, options: ConnectionOptions) {
    this.#options = options;
    server.on('connection', (socket) => this.#add(socket));
    // Of a connection that was just closed, the requests of the last read are still emitted.
    server.on(
      'request',
      (request, response) =>
        void (request.socket.destroyed || this.#open.get(request.socket)?.add(request, response)),
    );
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size;
  }

  /** How many have been accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Returns the responses of a connection that have not been sent completely, in order. */
  pendingResponses(connection: Duplex): readonly ServerResponse[] {
    return this.#open.get(connection)?.pendingResponses ?? [];
  }

  /** Ends each connection as soon as it has no pending response. */
  endWhenIdle(): void {
    this.#isEnding = true;
    for (const connection of this.#open.values()) connection.endIfIdle();
  }

  #add(socket: Socket): void {
    this.#accepted += 1;
    const release = this.#options.accept(socket);
    if (!release) return void socket.destroy();
    this.#open.set(socket, new Connection(socket, this.#options, () => this.#isEnding));
    socket.once('close', () => {
      this.#open.delete(socket);
      release();
    });
  }
}

class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #isEnding: () => boolean;
  // Not `Set`s: their old tables, each of which knows the next, keep responses that were sent alive until the next full collection.
  readonly #pending: ServerResponse[] = [];
  readonly #queued: (readonly [IncomingMessage, ServerResponse])[] = [];

  #mayPause = true;
  #isPaused = false;
  /** When it was paused, until what it held then has been read. */
  #pausedAt: number | undefined;

  constructor(socket: Socket, options: ConnectionOptions, isEnding: () => boolean) {
    this.#socket = socket;
    this.#options = options;
    this.#isEnding = isEnding;
    // Node resumes reading whenever a request has been read.
    socket.on('resume', () => this.#shouldStayPaused() && socket.pause());
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
   * Closes the sending side only, and reads on for a moment: closing a socket that holds unread data resets it, and a request may be on its way.
   * (RFC 9112 section 9.6.)
   */
  endIfIdle(): void {
    if (this.#pending.length + this.#queued.length > 0 || this.#socket.writableEnded) return;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), this.#options.closeTimeoutMs).unref();
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#pending.push(response);
    let closed: (() => void) | undefined;
    // A second listener would need an array. V8 allocates those of `events` in the old generation once many have lived long, and what they
    // refer to, which is all of a request, then survives until the next full collection.
    response.on('close', () => {
      this.#finish(response);
      closed?.();
    });
    this.#mayPause = this.#options.serve(request, response, this.#waitingSince(), (task) => {
      closed = task;
    });
  }

  #finish(response: ServerResponse): void {
    this.#pending.splice(this.#pending.indexOf(response), 1);
    if (this.#socket.destroyed) return;
    const next = this.#queued.shift();
    if (next) this.#start(...next);
    if (next && this.#queued.length === 0) this.#socket.resume();
    if (this.#pending.length > 0) return;
    if (this.#isEnding()) this.endIfIdle();
    else if (this.#mayPause) this.#pauseUntilResumed();
  }

  /** Where many others wait, the next request is read when it is the connection's turn. */
  #pauseUntilResumed(): void {
    const isPaused = this.#options.pause(() => {
      this.#isPaused = false;
      this.#socket.resume();
      // The event loop reads what is there before it comes to this.
      setImmediate(() => {
        if (!this.#isPaused) this.#pausedAt = undefined;
      });
    });
    if (!isPaused) return;
    this.#isPaused = true;
    this.#pausedAt = this.#options.clock.elapsed();
    this.#socket.pause();
  }

  /** What is there when a connection is read again may have come as early as it was paused. */
  #waitingSince(): number {
    return this.#pausedAt ?? this.#options.clock.elapsed();
  }

  #shouldStayPaused(): boolean {
    return this.#isPaused || this.#queued.length > 0;
  }
}
