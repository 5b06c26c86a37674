import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';

/** The open connections of a server, and what each still owes its client. */
export interface Connections {
  /** How many there are. */
  readonly open: number;
  /** How many there have ever been. */
  readonly accepted: number;
  /** Answers that have not been sent to their end. */
  owed(connection: Duplex): readonly ServerResponse[];
  /** Closes those that owe nothing; node's own way also closes those that have not sent all of an answer. */
  closeIdle(): void;
}

export interface ConnectionOptions {
  /** Admits a connection: returns what to call when it is closed, or undefined to close it at once. */
  admit(socket: Socket): (() => void) | undefined;
  /** Serves a request that has waited since then, to be read first of all. Returns whether the next one of its connection may wait, too. */
  serve(request: IncomingMessage, response: ServerResponse, waitingSince: number): boolean;
  /** Whether a connection is to pause before its next request is read; if so, `resume` is called later. */
  pause(resume: () => void): boolean;
  readonly clock: Clock;
}

/** Responses that a connection may be owed. While a request beyond these waits, the connection is not read. */
const maxPending = 10;
/** Requests that wait for those, as one read may hold thousands. A client that sends more at once is disconnected. */
const maxUnserved = 100;

/** To be called before anybody else listens to the server. Passes on requests as far as earlier ones of their connection are answered. */
export function trackConnections(server: Server, options: ConnectionOptions): Connections {
  const open = new Map<Duplex, Connection>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    const leave = options.admit(socket);
    if (!leave) return void socket.destroy();
    open.set(socket, new Connection(socket, options));
    socket.once('close', () => {
      open.delete(socket);
      leave();
    });
  });
  // Of a connection that was just closed, the requests of the last read still come.
  server.on('request', (request, response) => void (request.socket.destroyed || open.get(request.socket)?.add(request, response)));
  return {
    get open() {
      return open.size;
    },
    get accepted() {
      return accepted;
    },
    owed: (connection) => open.get(connection)?.owed ?? [],
    closeIdle() {
      for (const [socket, { owed }] of open) if (owed.length === 0) socket.destroy();
    },
  };
}

class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  // Not `Set`s: their old tables, each of which knows the next, keep answers that were sent alive until the next full collection.
  readonly #pending: ServerResponse[] = [];
  readonly #unserved: (readonly [IncomingMessage, ServerResponse])[] = [];

  #mayPause = true;
  #isPaused = false;
  /** When it was paused, until what it held then has been read. */
  #pausedAt: number | undefined;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    // Node resumes reading whenever a request has been read.
    socket.on('resume', () => this.#staysPaused() && socket.pause());
  }

  get owed(): readonly ServerResponse[] {
    return [...this.#pending, ...this.#unserved.map(([, response]) => response)];
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.#pending.length < maxPending) this.#start(request, response);
    else if (this.#unserved.push([request, response]) > maxUnserved) this.#socket.destroy();
    else this.#socket.pause();
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#pending.push(response);
    response.on('close', () => this.#end(response));
    this.#mayPause = this.#options.serve(request, response, this.#waitingSince());
  }

  #end(response: ServerResponse): void {
    this.#pending.splice(this.#pending.indexOf(response), 1);
    if (this.#socket.destroyed) return;
    const next = this.#unserved.shift();
    if (next) this.#start(...next);
    if (next && this.#unserved.length === 0) this.#socket.resume();
    if (this.#pending.length === 0 && this.#mayPause) this.#pauseInTurn();
  }

  /** Where many others wait, the next request is read when it is the connection's turn. */
  #pauseInTurn(): void {
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

  #staysPaused(): boolean {
    return this.#isPaused || this.#unserved.length > 0;
  }
}
