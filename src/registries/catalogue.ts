import type { Catalogue, LaneHealth, Tld } from '../domain/catalogue.ts';
import type { Entries } from './directory.ts';
import { tldsWithoutRdap } from './tlds-without-rdap.ts';

/** Every entry of the directory, and the TLDs that nobody answers for. */
export function createCatalogue(entries: () => Entries, healthOf: (baseUrl: string) => LaneHealth): Catalogue {
  return {
    list() {
      const served = entries();
      const unserved = tldsWithoutRdap.filter((label) => !served.has(label));
      const tlds = [
        ...Array.from(served, ([label, { id }]): Tld => ({ label, registryHost: new URL(id).host, health: healthOf(id) })),
        ...unserved.map((label): Tld => ({ label, registryHost: null, health: null })),
      ];
      return tlds.filter(({ label }) => label !== '').toSorted((a, b) => (a.label < b.label ? -1 : 1));
    },
  };
}
