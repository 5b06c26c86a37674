import type { Notes } from '../cache/notes.ts';
import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { Log } from '../log.ts';
import { CanaryMonitor, type CanaryResult, type CanaryState } from './canary-monitor.ts';
import { canaryNames, isCertain } from './canaries.ts';

/** What was learned of registries before this process began, and goes on being written down. */
export interface Remembered {
  /** Notes on suffixes of more than one label for which a server has found names. */
  readonly suffixes: ReadonlySet<string>;
  noteSuffix(suffix: string): void;
  /** The monitor of one server (base URL) and directory entry. */
  canaryMonitor(baseUrl: string, entry: string): CanaryMonitor;
}

/** Looks a canary up at a server. Never rejects. */
export type LookUpCanaryAt = (baseUrl: string, canary: DomainName) => Promise<CanaryResult>;

/** Reads the notes once. Notes that cannot be read, or written, are as if there were none: what they say can be learned again. */
export async function rememberRegistries(notes: Notes, lookUpCanary: LookUpCanaryAt, clock: Clock, log: Log): Promise<Remembered> {
  const write = (key: string, note: unknown) =>
    notes.write(key, JSON.stringify(note)).catch((error: unknown) => log.error({ err: error }, 'a note on a registry could not be kept'));
  const [suffixes, canaryStates] = await Promise.all([
    readNotes<true>(notes, 'suffix:', log),
    readNotes<CanaryState>(notes, 'canaries:', log),
  ]);
  const monitors = new Map<string, Map<string, CanaryMonitor>>();

  function createMonitor(baseUrl: string, entry: string): CanaryMonitor {
    const key = keyOf(baseUrl, entry);
    const ofServer = () => [...(monitors.get(baseUrl)?.values() ?? [])].filter((monitor) => monitor !== own);
    const ofEntry = () => [...monitors.values()].flatMap((byEntry) => byEntry.get(entry) ?? []).filter((monitor) => monitor !== own);
    const own: CanaryMonitor = new CanaryMonitor({
      clock,
      candidates: () => [...ofEntry().flatMap(({ canaries }) => canaries.slice(0, 2)), ...canaryNames(entry)],
      lookUp: (canary) => lookUpCanary(baseUrl, canary),
      mustFind: () => isCertain(entry) || [...ofServer(), ...ofEntry()].some(({ hasFound }) => hasFound),
      onFailing: () => {
        log.warn({ server: baseUrl, entry }, 'The registry no longer finds its canaries. Its 404s are ignored until it does.');
        for (const monitor of ofServer()) monitor.expire();
      },
      initial: canaryStates.get(key),
      load: async () => (await readNotes<CanaryState>(notes, `canaries:${key}`, log)).get(''),
      save: (state) => write(`canaries:${key}`, state),
    });
    return own;
  }

  function canaryMonitor(baseUrl: string, entry: string): CanaryMonitor {
    const ofServer = monitors.get(baseUrl) ?? new Map<string, CanaryMonitor>();
    monitors.set(baseUrl, ofServer);
    const monitor = ofServer.get(entry) ?? createMonitor(baseUrl, entry);
    ofServer.set(entry, monitor);
    return monitor;
  }

  // What one server has found says what another one of the same TLD must find.
  for (const key of canaryStates.keys()) {
    const [entry = '', baseUrl = ''] = key.split(' ');
    canaryMonitor(baseUrl, entry);
  }

  return {
    suffixes: new Set(suffixes.keys()),
    noteSuffix: (suffix) => void write(`suffix:${suffix}`, true),
    canaryMonitor,
  };
}

const keyOf = (baseUrl: string, entry: string) => `${entry} ${baseUrl}`;

async function readNotes<T>(notes: Notes, prefix: string, log: Log): Promise<Map<string, T>> {
  try {
    const found = await notes.read(prefix);
    return new Map(Array.from(found, ([key, note]) => [key.slice(prefix.length), JSON.parse(note) as T]));
  } catch (error) {
    log.error({ err: error }, 'notes on registries could not be read');
    return new Map();
  }
}
