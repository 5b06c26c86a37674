import { systemClock } from '../../clock.ts';

/** Charges that were sent and not answered. Whoever asked was told that nothing was charged, so each is taken back, as soon as it can be. */
export interface Doubts {
  add(charge: string): void;
  /** Takes back what it can. Never rejects. */
  settle(): Promise<void>;
}

export function createDoubts(takeBack: (charge: string) => Promise<unknown>): Doubts {
  const doubtful = new Set<string>();
  let waits = false;

  async function settle(): Promise<void> {
    for (const charge of doubtful) {
      // One that fails is still there for the next time.
      await takeBack(charge).then(
        () => doubtful.delete(charge),
        () => again(),
      );
    }
  }

  function again(): void {
    if (waits) return;
    waits = true;
    systemClock.after(everyMs, () => {
      waits = false;
      void settle();
    });
  }

  return {
    add(charge) {
      doubtful.add(charge);
      again();
    },
    settle,
  };
}

const everyMs = 500;
