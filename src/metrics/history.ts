import type { Clock } from '../clock.ts';

const minuteMs = 60_000;
const minutes = 120;

/** Counts events per minute of the last two hours, in a ring of fixed size. */
export class History {
  readonly #clock: Clock;
  readonly #ring = new Map<number, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds to the counts of the current minute, by name. */
  add(added: Readonly<Record<string, number>>): void {
    const minute = this.#minute();
    const slot = minute % minutes;
    const counts = this.#ring.get(slot) ?? new Map<string, number>();
    if (counts.get('minute') !== minute) counts.clear();
    this.#ring.set(slot, counts.set('minute', minute));

    for (const [name, by] of Object.entries(added)) counts.set(name, (counts.get(name) ?? 0) + by);
  }

  /** Returns the counts of each minute, the current one last. */
  perMinute(name: string): readonly number[] {
    const first = this.#minute() - minutes + 1;
    return Array.from({ length: minutes }, (_, index) => {
      const counts = this.#ring.get((first + index) % minutes);
      return counts?.get('minute') === first + index ? (counts.get(name) ?? 0) : 0;
    });
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / minuteMs);
  }
}
