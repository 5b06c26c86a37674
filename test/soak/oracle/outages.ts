import type { Random } from '../../support/time/random.ts';
import type { Outage, TruthfulRegistry } from '../truthful-registry.ts';
import { registryOf, tlds } from './names.ts';
import type { Phase } from './tally.ts';

const recoveryRounds = 5;

/** Outages of the RDAP servers, each within a day. */
export class Outages {
  readonly #registries: readonly TruthfulRegistry[];
  readonly #random: Random;
  readonly #chance: number;
  readonly #recovering: number[];
  /** The number of outages that have begun. */
  begun = 0;

  /** `chance` is the probability per round that a server begins to lose data. */
  constructor(registries: readonly TruthfulRegistry[], random: Random, chance: number) {
    this.#registries = registries;
    this.#random = random;
    this.#chance = chance;
    this.#recovering = registries.map(() => 0);
  }

  phaseOf(name: string): Phase {
    const index = registryOf(name) ?? -1;
    if (this.#registries[index]?.outage !== undefined) return 'outage';
    return (this.#recovering[index] ?? 0) > 0 ? 'recovery' : 'normal';
  }

  /**
   * Begins and ends outages. A server does not lose data while a zone of its names is empty: if both
   * sources of a name lose it, nothing shows that it is registered.
   */
  nextRound(isLongLeap: boolean, isEmpty: (zone: string) => boolean): void {
    const random = this.#random;
    for (const [index, registry] of this.#registries.entries()) {
      this.#recovering[index] = Math.max(0, (this.#recovering[index] ?? 0) - 1);
      if (registry.outage !== undefined) {
        if (!isLongLeap && !random.chance(0.1)) continue;
        registry.outage = undefined;
        this.#recovering[index] = recoveryRounds;
      } else if (!isLongLeap && random.chance(this.#chance)) {
        const own = tlds.filter((tld) => registryOf(`.${tld}`) === index);
        if (own.some(isEmpty)) continue;
        registry.outage = this.#randomOutage(own[random.below(own.length)] ?? '');
        this.begun += 1;
      }
    }
  }

  #randomOutage(tld: string): Outage {
    return this.#random.pick<Outage>(['everything', `.${tld}`, 'a canary', 'a tenth']);
  }
}
