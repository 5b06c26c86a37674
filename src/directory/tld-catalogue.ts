import type { BootstrapInfo, Catalogue, CoveredTld, HostStatus, Tld } from '../domain/catalogue.ts';
import { coveredTlds } from '../domain/covered-tlds.ts';
import type { Entries } from '../registries/directory.ts';
import { tldsWithoutRdap } from './tlds-without-rdap.ts';

export interface CatalogueOptions {
  readonly entries: () => Entries;
  readonly healthOf: (baseUrl: string) => HostStatus;
  readonly bootstrap: () => BootstrapInfo;
  /** Whether servers without `https:` are queried. */
  readonly allowPlainHttp: boolean;
}

/** Every entry of the directory, and the TLDs that nobody answers for; made anew when the directory changes. */
export function createCatalogue({ entries, healthOf, bootstrap, allowPlainHttp }: CatalogueOptions): Catalogue {
  let made: { readonly from: Entries; readonly list: readonly Tld[]; readonly covered: readonly CoveredTld[] } | undefined;

  function current() {
    const from = entries();
    if (made?.from === from) return made;
    const list = tldsOf(from, healthOf);
    made = { from, list, covered: coveredTlds(list, allowPlainHttp) };
    return made;
  }

  return {
    list: () => current().list,
    covered: () => current().covered,
    bootstrap,
  };
}

function tldsOf(entries: Entries, healthOf: (baseUrl: string) => HostStatus): readonly Tld[] {
  const labels = new Set([...entries.keys(), ...tldsWithoutRdap]);
  labels.delete('');
  return Array.from(labels.keys())
    .toSorted()
    .map((label) => {
      const registry = entries.get(label) ?? entries.get('');
      if (!registry) return { label, registryHost: null, rdapEndpoint: null, health: () => null };
      const { id: rdapEndpoint } = registry;
      return { label, registryHost: new URL(rdapEndpoint).host, rdapEndpoint, health: () => healthOf(rdapEndpoint) };
    });
}
