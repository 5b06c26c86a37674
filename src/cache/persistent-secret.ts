import { randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { KeyValueStore } from './key-value-store.ts';

/** A random secret that stays the same from start to start and on all nodes that share the notes; where these fail, one of this process alone. */
export async function persistentSecret(
  name: string,
  store: KeyValueStore,
  log: Log,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  try {
    return await store.putIfAbsent(`secret:${name}`, secret);
  } catch (error) {
    log.error({ err: error }, 'a secret could not be kept: this process has one of its own');
    return secret;
  }
}
