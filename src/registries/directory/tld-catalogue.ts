import {
  type BootstrapInfo,
  type Catalogue,
  type HostStatus,
  type Tld,
  coveredTlds,
} from '../../domain/catalogue.ts';
import type { Policy } from '../../domain/policy.ts';
import type { SourceInfo } from '../../domain/source.ts';
import { derived } from '../../shared/memoize.ts';
import type { Entries } from './directory.ts';
import type { PublishedFields } from './published-fields.ts';

interface CatalogueOptions {
  readonly entries: () => Entries;
  /** Returns all TLDs; those without a source have no entry. */
  readonly tlds: () => ReadonlySet<string>;
  readonly healthOf: (baseUrl: string) => HostStatus;
  readonly policyOf: (suffix: string) => Policy;
  readonly publishedFields: PublishedFields;
  readonly bootstrap: () => BootstrapInfo;
  readonly isNetworkReachable: () => boolean;
}

/** Creates the catalogue of all entries of the directory and of all other TLDs. */
export function createCatalogue({
  entries,
  tlds,
  policyOf,
  publishedFields,
  healthOf,
  bootstrap,
  isNetworkReachable,
}: CatalogueOptions): Catalogue {
  const list = derived(entries, (from) =>
    tldsOf(from, tlds(), { policyOf, publishedFields, healthOf }),
  );
  const byLabel = derived(list, (listed) => new Map(listed.map((tld) => [tld.label, tld])));
  const covered = derived(list, coveredTlds);
  return { list, find: (label) => byLabel().get(label), covered, bootstrap, isNetworkReachable };
}

function tldsOf(
  entries: Entries,
  tlds: ReadonlySet<string>,
  facts: Pick<CatalogueOptions, 'policyOf' | 'publishedFields' | 'healthOf'>,
): readonly Tld[] {
  const labels = new Set([...entries.keys(), ...tlds]);
  labels.delete('');
  return Array.from(labels.keys())
    .toSorted()
    .map((label) => ({
      policy: facts.policyOf(label),
      publishes: facts.publishedFields.of(label),
      ...tldOf(label, (entries.get(label) ?? entries.get(''))?.sources ?? [], facts.healthOf),
    }));
}

function tldOf(
  label: string,
  sources: readonly SourceInfo[],
  healthOf: CatalogueOptions['healthOf'],
): Omit<Tld, 'policy' | 'publishes'> {
  const rdapEndpoint = sources.find(({ kind }) => kind === 'rdap')?.endpoint ?? null;
  return {
    label,
    registryHost: rdapEndpoint === null ? null : new URL(rdapEndpoint).host,
    rdapEndpoint,
    sources,
    health: () => (rdapEndpoint === null ? null : healthOf(rdapEndpoint)),
  };
}
