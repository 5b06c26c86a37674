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
  // Not a `Set` of answers: its old tables, each of which knows the next, keep answers that were sent alive until the next full collection.
  const owed = new Map<Duplex, ServerResponse[]>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    owed.set(socket, []);
    socket.once('close', () => owed.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const answers = owed.get(socket) ?? [];
    answers.push(response);
    response.on('close', () => void answers.splice(answers.indexOf(response), 1));
  });
  return {
    get open() {
      return owed.size;
    },
    get accepted() {
      return accepted;
    },
    owed: (connection) => [...(owed.get(connection) ?? [])],
    closeIdle() {
      for (const [socket, answers] of owed) if (answers.length === 0) socket.destroy();
    },
  };
}
