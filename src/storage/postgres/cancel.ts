import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/**
 * Has the server give up the statement that it carries out for this connection: closing that would not, and a statement that waits for a lock
 * would keep a place among the server's connections for as long as the lock is held. Resolves when it is said, or could not be said in time.
 */
export function cancelStatement(client: PoolClient, deadlineMs: number): Promise<void> {
  const { host, port, processID, secretKey } = client as PoolClient & BackendKey;
  // Not every pooler gives one.
  if (processID === null || secretKey === null) return Promise.resolve();
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelCode, processID, secretKey].entries()) request.writeInt32BE(word, index * 4);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(deadlineMs, () => socket.destroy());
  // The server says nothing, and closes. Where it cannot be told, it is no worse than before.
  socket.on('error', () => undefined);
  socket.resume().end(request);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** What a server gives with a connection, so that another may speak for it; `pg` has it, and its types do not. */
interface BackendKey {
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** Stands where other connections name their protocol (CancelRequest, "Message Formats"). */
const cancelCode = 80_877_102;
