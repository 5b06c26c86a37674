import { randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';
import type { KeyValueStore } from '../shared/key-value-store.ts';

/**
 * Returns a random secret that survives restarts and is shared by all nodes that use the store. If
 * the store fails, returns one that only this process has.
 */
export async function persistentSecret(
  name: string,
  store: KeyValueStore,
  log: Log,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  try {
    return await store.putIfAbsent(`secret:${name}`, secret);
  } catch (error) {
    log.error(
      { err: error },
      'Failed to store a secret. This process uses a temporary one, so ETags change at restart and differ between nodes. Check the store.',
    );
    return secret;
  }
}
