import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { answerRetentionSeconds } from './freshness.ts';
import type { AnswerStore } from './store.ts';

const intervalMs = 60 * 60 * 1000;

/** Deletes expired answers and records, now and every hour. Returns a function that stops it. */
export function scheduleExpiry(
  store: Pick<AnswerStore, 'deleteExpired'>,
  recordDays: number,
  clock: Clock,
  log: Log,
): () => void {
  let isStopped = false;
  let cancel: (() => void) | undefined;
  async function deleteExpired(): Promise<void> {
    const now = clock.now();
    try {
      await store.deleteExpired(
        now - answerRetentionSeconds * 1000,
        now - recordDays * 24 * 60 * 60 * 1000,
      );
    } catch (error) {
      log.error({ err: error }, 'Cache expiry failed. It runs again at the next interval.');
    }
    if (!isStopped) cancel = clock.after(intervalMs, () => void deleteExpired());
  }
  void deleteExpired();
  return () => {
    isStopped = true;
    cancel?.();
  };
}
