import type { Notes } from '../cache/notes.ts';
import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Log } from '../log.ts';
import { createWitness, type Sightings, type Witness } from './witness.ts';

/** What was learned of registries before this process began, and goes on being written down. */
export interface Remembered {
  /** Hosts that asked to be left alone, by origin, until when; epoch ms. Those whose time is over are forgotten. */
  readonly closed: ReadonlyMap<string, number>;
  noteClosed(origin: string, opensAt: number): void;
  /** Notes on suffixes of more than one label for which a server has found names. */
  readonly suffixes: ReadonlySet<string>;
  noteSuffix(suffix: string): void;
  /** The one witness of a base URL, which serves these names. */
  witnessOf(baseUrl: string, serves: (name: DomainName) => boolean): Witness;
  /** Whether a base URL found its canary once and does not any more. */
  isLost(baseUrl: string): boolean;
}

/** Reads the notes once. Notes that cannot be read, or written, are as if there were none: what they say can be learned again. */
export async function rememberRegistries(notes: Notes, clock: Clock, log: Log): Promise<Remembered> {
  const write = (key: string, note: unknown) =>
    notes.write(key, JSON.stringify(note)).catch((error: unknown) => log.error({ err: error }, 'a note on a registry could not be kept'));
  const forget = (key: string, note: unknown) =>
    void notes
      .forget(key, JSON.stringify(note))
      .catch((error: unknown) => log.error({ err: error }, 'a note on a registry could not be forgotten'));
  const [closed, suffixes, sightings] = await Promise.all([
    readNotes<number>(notes, 'closed:', log),
    readNotes<true>(notes, 'suffix:', log),
    readNotes<Sightings>(notes, 'sightings:', log),
  ]);
  const witnesses = new Map<string, Witness>();

  function forgetOpened(): void {
    for (const [origin, opensAt] of closed) {
      if (opensAt > clock.now()) continue;
      closed.delete(origin);
      forget(`closed:${origin}`, opensAt);
    }
  }

  forgetOpened();
  return {
    closed,
    noteClosed(origin, opensAt) {
      forgetOpened();
      closed.set(origin, opensAt);
      void write(`closed:${origin}`, opensAt);
    },
    suffixes: new Set(suffixes.keys()),
    noteSuffix: (suffix) => void write(`suffix:${suffix}`, true),
    witnessOf(baseUrl, serves) {
      const known = witnesses.get(baseUrl);
      if (known) return known;
      const key = `sightings:${baseUrl}`;
      const witness = createWitness(clock, serves, sightings.get(baseUrl), {
        read: async () => (await readNotes<Sightings>(notes, key, log)).get(''),
        write: (seen) => write(key, seen),
      });
      witnesses.set(baseUrl, witness);
      return witness;
    },
    isLost: (baseUrl) => witnesses.get(baseUrl)?.sightings.lost === true,
  };
}

async function readNotes<T>(notes: Notes, prefix: string, log: Log): Promise<Map<string, T>> {
  try {
    const found = await notes.read(prefix);
    return new Map(Array.from(found, ([key, note]) => [key.slice(prefix.length), JSON.parse(note) as T]));
  } catch (error) {
    log.error({ err: error }, 'notes on registries could not be read');
    return new Map();
  }
}
