import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { answersKeptFor } from './freshness.ts';
import type { AnswerStore } from './store.ts';

const everyMs = 60 * 60 * 1000;

/** Forgets what is too old to be kept, now and every hour. Returns the way to stop. */
export function keepSwept(
  store: Pick<AnswerStore, 'sweep'>,
  recordDays: number,
  clock: Clock,
  log: Log,
): () => void {
  let stopped = false;
  let cancel: (() => void) | undefined;
  async function sweep(): Promise<void> {
    const now = clock.now();
    try {
      await store.sweep(now - answersKeptFor * 1000, now - recordDays * 24 * 60 * 60 * 1000);
    } catch (error) {
      log.error({ err: error }, 'old answers could not be swept');
    }
    if (!stopped) cancel = clock.after(everyMs, () => void sweep());
  }
  void sweep();
  return () => {
    stopped = true;
    cancel?.();
  };
}
