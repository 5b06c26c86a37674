import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';

/** What is known of a server's power to find. */
export interface Sightings {
  /** It has answered 200 with the object that was asked for. */
  readonly seen: boolean;
  /** The canary that it found. */
  readonly canary?: DomainName;
  /** It found its canary once and does not any more. */
  readonly lost: boolean;
  /** When it was last asked for a canary; epoch ms. */
  readonly askedAt: number;
  /** How many canaries it did not find. */
  readonly missed: number;
}

export type CanaryResult = 'found' | 'absent' | 'unanswered';

/** Knows whether a server's "not found" means anything: one that never finds a name proves nothing by not finding another. */
export interface Witness {
  readonly sightings: Sightings;
  /** The server found the name that it was asked for. */
  saw(): void;
  /** Makes sure that what is known is not older than an hour, by asking for a canary where that is needed. Never rejects. */
  refresh(candidates: readonly DomainName[], ask: (canary: DomainName) => Promise<CanaryResult>): Promise<void>;
}

/** A canary is one request an hour at most. */
const everyMs = 60 * 60 * 1000;

const nothingSeen: Sightings = { seen: false, lost: false, askedAt: 0, missed: 0 };

export function createWitness(clock: Clock, known: Sightings = nothingSeen, onChange: (sightings: Sightings) => void = () => {}): Witness {
  let sightings = known;
  let asking: Promise<void> | undefined;

  function change(next: Sightings): void {
    sightings = next;
    onChange(next);
  }

  function settle(canary: DomainName, result: CanaryResult): void {
    if (result === 'found') change({ ...sightings, seen: true, canary, lost: false });
    else if (result === 'absent' && canary === sightings.canary) change({ ...sightings, lost: true });
    else if (result === 'absent') change({ ...sightings, missed: sightings.missed + 1 });
  }

  return {
    get sightings() {
      return sightings;
    },
    saw() {
      if (!sightings.seen) change({ ...sightings, seen: true });
    },
    refresh(candidates, ask) {
      if (asking) return asking;
      // A server that has found other names needs no canary; one that has found its canary must go on finding it.
      const canary = sightings.canary ?? (sightings.seen ? undefined : candidates[sightings.missed % candidates.length]);
      if (canary === undefined || clock.now() - sightings.askedAt < everyMs) return Promise.resolve();
      change({ ...sightings, askedAt: clock.now() });
      asking = ask(canary)
        .then((result) => settle(canary, result))
        .finally(() => (asking = undefined));
      return asking;
    },
  };
}
