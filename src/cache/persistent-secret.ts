import { randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Notes } from './key-value-store.ts';

/** A random secret that stays the same from start to start and on all nodes that share the notes; where these fail, one of this process alone. */
export async function lastingSecret(name: string, notes: Notes, log: Log): Promise<string> {
  const made = randomBytes(32).toString('base64url');
  try {
    return await notes.writeFirst(`secret:${name}`, made);
  } catch (error) {
    log.error({ err: error }, 'a secret could not be kept: this process has one of its own');
    return made;
  }
}
