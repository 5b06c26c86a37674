import type { Clock } from '../../clock.ts';
import {
  coveredTlds,
  type Catalogue,
  type Tld,
  type ObservedFields,
  type Publishes,
} from '../../domain/catalogue.ts';
import type { HostStatus } from '../../domain/host-status.ts';
import { launchOf } from '../../domain/launch.ts';
import type { Policy } from '../../domain/policy.ts';
import {
  byField,
  publishedFields,
  publishedIn,
  type PublishedField,
  type Registration,
} from '../../domain/registration.ts';
import type { SourceInfo } from '../../domain/source.ts';
import { derived, getOrInsert } from '../../shared/memoize.ts';
import type { Entries } from './directory.ts';
import { privateServers } from './suffix-sources.ts';
import { forTlds } from './tld-list.ts';
import table from './published-fields.json' with { type: 'json' };

interface CatalogueOptions extends Pick<
  Catalogue,
  'bootstrap' | 'isNetworkReachable' | 'offersOf' | 'accuracy'
> {
  readonly entries: () => Entries;
  /** Returns all TLDs; those without a source have no entry. */
  readonly tlds: () => ReadonlySet<string>;
  readonly healthOf: (baseUrl: string) => HostStatus;
  readonly clock: Clock;
  readonly policyOf: (suffix: string) => Policy;
  readonly publishedFields: PublishedFields;
}

/**
 * Creates the catalogue of all entries of the directory and of all other TLDs. Its list leaves out
 * the domains of private registries, which are no TLDs.
 */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { entries, bootstrap, isNetworkReachable, offersOf, accuracy } = options;
  const all = derived(entries, (from) => tldsOf(from, options));
  const list = derived(all, (found) => found.filter(({ label }) => !privateServers.has(label)));
  const byLabel = derived(all, (found) => new Map(found.map((tld) => [tld.label, tld])));
  const covered = derived(list, coveredTlds);
  const find = (label: string) => byLabel().get(label);

  return { list, find, covered, bootstrap, isNetworkReachable, offersOf, accuracy };
}

function tldsOf(entries: Entries, options: CatalogueOptions): readonly Tld[] {
  const labels = new Set([...entries.keys(), ...options.tlds()]);
  labels.delete('');

  return Array.from(labels.keys())
    .toSorted()
    .map((label) => ({
      ...factsOf(options.policyOf(label), options.clock),
      publishes: options.publishedFields.of(label),
      ...tldOf(label, (entries.get(label) ?? entries.get(''))?.sources ?? [], options.healthOf),
    }));
}

function factsOf(policy: Policy, clock: Clock) {
  return { policy, launch: () => launchOf(policy.launch, clock.now()) ?? null };
}

function tldOf(
  label: string,
  sources: readonly SourceInfo[],
  healthOf: CatalogueOptions['healthOf'],
): Omit<Tld, 'policy' | 'launch' | 'publishes'> {
  const rdapEndpoint = sources.find(({ kind }) => kind === 'rdap')?.endpoint ?? null;
  return {
    label,
    registryHost: rdapEndpoint === null ? null : new URL(rdapEndpoint).host,
    rdapEndpoint,
    sources,
    health: () => (rdapEndpoint === null ? null : healthOf(rdapEndpoint)),
  };
}

type Documented = Readonly<Partial<Record<PublishedField, boolean>>>;

const documented: ReadonlyMap<string, Documented> = new Map(
  table.flatMap(({ tlds, ...fields }) => forTlds(tlds, fields)),
);

const dayMs = 24 * 60 * 60 * 1000;
const maxDays = 30;

/** The registrations of one day, and how many have each field. */
type DayCounts = Record<PublishedField | 'registrations', number>;

/** Knows which fields registries publish: what is documented, and what this process has read. */
export class PublishedFields {
  readonly #clock: Clock;
  readonly #days = new Map<string, Map<number, DayCounts>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a registration that its registry has just returned. */
  record(tld: string, registration: Registration): void {
    const today = this.#today();
    const days = getOrInsert(this.#days, tld, () => new Map());
    for (const day of days.keys()) if (day <= today - maxDays) days.delete(day);

    const counts = getOrInsert(days, today, noCounts);
    counts.registrations += 1;
    for (const field of publishedFields) if (publishedIn(registration, field)) counts[field] += 1;
  }

  /** Returns what the registry of a TLD publishes. */
  of(tld: string): Publishes {
    return {
      documented: byField((field) => documented.get(tld)?.[field] ?? null),
      observed: () => this.#observed(tld),
    };
  }

  #observed(tld: string): ObservedFields {
    const sum = noCounts();
    for (const [day, counts] of this.#days.get(tld) ?? [])
      if (day > this.#today() - maxDays) for (const key of countKeys) sum[key] += counts[key];
    const { registrations, ...found } = sum;
    const share = (field: PublishedField) => (registrations ? found[field] / registrations : null);
    return { registrations, shares: byField(share) };
  }

  #today(): number {
    return Math.floor(this.#clock.now() / dayMs);
  }
}

const countKeys = [...publishedFields, 'registrations'] as const;

function noCounts(): DayCounts {
  return { ...byField(() => 0), registrations: 0 };
}
