/** Second tries of one host: a tenth of the last minute's requests, and always three a minute. */
export interface RetryBudget {
  sent(now: number): void;
  /** Takes one second try, if there is one left. */
  takeRetry(now: number): boolean;
}

const share = 0.1;
const always = 3;

export function createRetryBudget(): RetryBudget {
  const requests = lastMinute();
  const retries = lastMinute();
  return {
    sent: (now) => requests.add(now),
    takeRetry(now) {
      if (retries.count(now) >= Math.max(always, requests.count(now) * share)) return false;
      retries.add(now);
      return true;
    },
  };
}

const secondOf = (now: number) => Math.floor(now / 1000);

/** Counts what happened in the last sixty seconds, by the second. */
function lastMinute(): { add(now: number): void; count(now: number): number } {
  const bySecond = new Map<number, number>();
  function forget(now: number): void {
    for (const second of bySecond.keys()) if (second <= secondOf(now) - 60) bySecond.delete(second);
  }
  return {
    add(now) {
      forget(now);
      bySecond.set(secondOf(now), (bySecond.get(secondOf(now)) ?? 0) + 1);
    },
    count(now) {
      forget(now);
      return Array.from(bySecond.values()).reduce((sum, count) => sum + count, 0);
    },
  };
}
