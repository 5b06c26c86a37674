import { DatabaseSync } from 'node:sqlite';

/**
 * Locks an empty file, which it creates, until the process ends, however it ends. Returns undefined if
 * another process has the lock. Throws what SQLite throws if the file cannot be used.
 */
export function lockFile(path: string): Disposable | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Error && error.message.includes('locked')) return undefined;
    throw error;
  }
}
