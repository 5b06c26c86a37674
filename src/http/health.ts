import type { Clock } from '../clock.ts';
import { jsonReply, type Handler } from './call.ts';

/** Whether the process is alive: nothing more is asked. */
export const health: Handler = () => jsonReply(200, { status: 'ok' }, { 'cache-control': 'no-store' });

/**
 * Whether it can serve, yes or no; the reason goes to the log. Finding out writes to the ledger and anybody may ask, so whoever comes meanwhile
 * or shortly after is told the same.
 */
export function readiness(isReady: () => Promise<boolean>, clock: Clock): Handler {
  let found: Promise<boolean> | undefined;
  let holdsUntil = -Infinity;

  async function findOut(): Promise<boolean> {
    holdsUntil = Infinity;
    try {
      return await isReady();
    } finally {
      holdsUntil = clock.elapsed() + holdsMs;
    }
  }

  return async () => {
    if (!found || clock.elapsed() >= holdsUntil) found = findOut();
    const ready = await found;
    return jsonReply(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready' }, { 'cache-control': 'no-store' });
  };
}

const holdsMs = 250;
