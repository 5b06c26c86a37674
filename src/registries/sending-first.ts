import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

/**
 * To be asked before an answer is read: reading takes time, in which registries would have nothing to do. Settles when all that may be sent
 * has been, but within some milliseconds; undefined where nothing is being sent. `sends`: this answer has let somebody send.
 */
export type SendingFirst = (sends: boolean) => Promise<void> | undefined;

/** One for all registries, as all share the process. */
export function sendingFirst(clock: Clock): SendingFirst {
  let sending: Promise<void> | undefined;
  let sent = 0;

  async function untilSent(): Promise<void> {
    const end = clock.elapsed() + longestMs;
    let before: number;
    // Answers come turn upon turn; what they let send leaves at the end of the turn, when a connection is free again.
    do {
      before = sent;
      await nextTurn();
    } while (sent > before && clock.elapsed() < end);
    await nextTurn();
    sending = undefined;
  }

  return (sends) => {
    if (!sends) return sending;
    sent += 1;
    return (sending ??= untilSent());
  };
}

/** Half of what a near registry takes. */
const longestMs = 10;
