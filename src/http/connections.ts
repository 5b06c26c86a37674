import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

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

/** To be called before anybody else listens to the server. */
export function trackConnections(server: Server): Connections {
  const owed = new Map<Duplex, Set<ServerResponse>>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    owed.set(socket, new Set());
    socket.once('close', () => owed.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    owed.get(socket)?.add(response);
    response.on('close', () => owed.get(socket)?.delete(response));
  });
  return {
    get open() {
      return owed.size;
    },
    get accepted() {
      return accepted;
    },
    owed: (connection) => Array.from(owed.get(connection) ?? []),
    closeIdle() {
      for (const [socket, answers] of owed) if (answers.size === 0) socket.destroy();
    },
  };
}
