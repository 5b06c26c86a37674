import type { BootstrapInfo, Catalogue, HostStatus, Tld } from '../domain/catalogue.ts';
import { coveredTlds } from '../domain/covered-tlds.ts';
import type { SourceInfo } from '../domain/source.ts';
import { derived } from '../memoize.ts';
import type { Entries } from './directory.ts';
import { builtInTlds } from './tld-table.ts';

interface CatalogueOptions {
  readonly entries: () => Entries;
  readonly healthOf: (baseUrl: string) => HostStatus;
  readonly bootstrap: () => BootstrapInfo;
}

/** Creates the catalogue of all entries of the directory and of all other TLDs. */
export function createCatalogue({ entries, healthOf, bootstrap }: CatalogueOptions): Catalogue {
  const list = derived(entries, (from) => tldsOf(from, healthOf));
  const byLabel = derived(list, (tlds) => new Map(tlds.map((tld) => [tld.label, tld])));
  const covered = derived(list, coveredTlds);
  return { list, find: (label) => byLabel().get(label), covered, bootstrap };
}

function tldsOf(entries: Entries, healthOf: (baseUrl: string) => HostStatus): readonly Tld[] {
  const labels = new Set([...entries.keys(), ...builtInTlds]);
  labels.delete('');
  return Array.from(labels.keys())
    .toSorted()
    .map((label) => tldOf(label, (entries.get(label) ?? entries.get(''))?.sources ?? [], healthOf));
}

function tldOf(
  label: string,
  sources: readonly SourceInfo[],
  healthOf: CatalogueOptions['healthOf'],
): Tld {
  const rdapEndpoint = sources.find(({ kind }) => kind === 'rdap')?.endpoint ?? null;
  return {
    label,
    registryHost: rdapEndpoint === null ? null : new URL(rdapEndpoint).host,
    rdapEndpoint,
    sources,
    health: () => (rdapEndpoint === null ? null : healthOf(rdapEndpoint)),
  };
}
