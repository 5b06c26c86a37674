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

/** What became of a canary; one that was not even sent says nothing and counts for nothing. */
export type CanaryResult = 'found' | 'absent' | 'unanswered' | 'unsent';

/** Knows whether a server's "not found" means anything: one that never finds a name proves nothing by not finding another. */
export interface Witness {
  readonly sightings: Sightings;
  /** What the server said of a name that somebody asked for. */
  heard(name: DomainName, result: 'found' | 'absent'): void;
  /** Makes sure that what is known is not older than an hour: whether a canary had to be asked for that. Never rejects. */
  refresh(candidates: () => readonly DomainName[], ask: (canary: DomainName) => Promise<CanaryResult>): boolean | Promise<boolean>;
}

/** Where sightings are written down, by this node and others. */
export interface Notebook {
  /** What was written last; undefined when there is nothing, or nothing that can be read. */
  read(): Promise<Sightings | undefined>;
  /** Settles when others can read it. Never rejects. */
  write(sightings: Sightings): Promise<void>;
}

/** A canary is one request an hour at most, and so is a look at what other nodes have seen. */
const everyMs = 60 * 60 * 1000;

const nothingSeen: Sightings = { seen: false, lost: false, askedAt: 0, missed: 0 };

/** `serves` says whether a canary is still the server's to find: TLDs move. */
export function createWitness(
  clock: Clock,
  serves: (canary: DomainName) => boolean,
  known: Sightings = nothingSeen,
  notebook?: Notebook,
): Witness {
  let sightings = known;
  let readAt = clock.now();
  let asking: Promise<boolean> | undefined;

  async function change(next: Partial<Sightings>): Promise<void> {
    sightings = { ...sightings, ...next };
    await notebook?.write(sightings);
  }

  function isOld(since: number): boolean {
    const age = clock.now() - since;
    // In the future: by a clock that was ahead.
    return age < 0 || age >= everyMs;
  }

  async function settle(canary: DomainName, result: CanaryResult, askedAt: number): Promise<void> {
    if (result === 'unsent') return;
    if (result === 'found') return change({ askedAt, seen: true, canary, lost: false });
    if (result === 'unanswered') return change({ askedAt });
    return change(canary === sightings.canary ? { askedAt, lost: true } : { askedAt, missed: sightings.missed + 1 });
  }

  /** Nothing is lost with a canary that has gone elsewhere; another is looked for in its own time. */
  function current(): Sightings {
    const { canary, ...rest } = sightings;
    if (canary !== undefined && !serves(canary)) sightings = { ...rest, seen: false, lost: false };
    return sightings;
  }

  /** The canary that it is time to ask for. */
  function dueCanary(candidates: () => readonly DomainName[]): DomainName | undefined {
    const { askedAt, canary, seen, missed } = current();
    if (!isOld(askedAt)) return undefined;
    // A server that has found other names needs no canary; one that has found its canary must go on finding it.
    if (canary !== undefined || seen) return canary;
    const names = candidates();
    return names[missed % names.length];
  }

  async function lookAgain(candidates: () => readonly DomainName[], ask: (canary: DomainName) => Promise<CanaryResult>): Promise<boolean> {
    if (isOld(readAt)) await readAgain();
    const canary = dueCanary(candidates);
    if (canary === undefined) return false;
    const askedAt = clock.now();
    // Others look but once an hour: it must be there before anybody is told what came of it.
    await settle(canary, await ask(canary), askedAt);
    return true;
  }

  async function readAgain(): Promise<void> {
    readAt = clock.now();
    const noted = await notebook?.read();
    // What another node has found out later holds here, too.
    if (noted && noted.askedAt >= sightings.askedAt) sightings = { ...sightings, ...noted, seen: noted.seen || sightings.seen };
  }

  return {
    get sightings() {
      return current();
    },
    heard(name, result) {
      const lost = name === sightings.canary ? result === 'absent' : sightings.lost;
      const seen = sightings.seen || result === 'found';
      if (lost !== sightings.lost || seen !== sightings.seen) void change({ seen, lost });
    },
    refresh(candidates, ask) {
      if (asking) return asking;
      if (!isOld(readAt) && dueCanary(candidates) === undefined) return false;
      asking = lookAgain(candidates, ask).finally(() => (asking = undefined));
      return asking;
    },
  };
}
