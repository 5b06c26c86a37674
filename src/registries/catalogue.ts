import type { Catalogue, LaneHealth, Tld } from '../domain/catalogue.ts';
import type { Entries } from './directory.ts';
import { tldsWithoutRdap } from './tlds-without-rdap.ts';

/** Every entry of the directory, and the TLDs that nobody answers for; made anew when the directory changes. */
export function createCatalogue(entries: () => Entries, healthOf: (baseUrl: string) => LaneHealth): Catalogue {
  let made: { readonly from: Entries; readonly tlds: readonly Tld[] } | undefined;
  return {
    list() {
      const from = entries();
      if (made?.from !== from) made = { from, tlds: tldsOf(from, healthOf) };
      return made.tlds;
    },
  };
}

function tldsOf(entries: Entries, healthOf: (baseUrl: string) => LaneHealth): readonly Tld[] {
  const labels = new Set([...entries.keys(), ...tldsWithoutRdap]);
  labels.delete('');
  return Array.from(labels.keys())
    .toSorted()
    .map((label) => {
      const registry = entries.get(label) ?? entries.get('');
      if (!registry) return { label, registryHost: null, health: () => null };
      return { label, registryHost: new URL(registry.id).host, health: () => healthOf(registry.id) };
    });
}
