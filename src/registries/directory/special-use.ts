import { containsNetwork, parseIpBlock, type IpBlock } from '../../domain/names/ip-address.ts';
import type { DomainName } from '../../domain/names/domain-name.ts';
import table from './special-use.json' with { type: 'json' };

/** Why a name, an address or a number is in no registry. */
export interface SpecialUse {
  /** Continues `10.0.0.1 is reserved …`, e.g. `for private use`. */
  readonly purpose: string;
  /** The document that reserves it, e.g. `RFC 1918`. */
  readonly source: string;
}

/** A name that is reserved, with all names below it. */
export interface SpecialUseName extends SpecialUse {
  /** E.g. `local` or `home.arpa`. */
  readonly suffix: string;
}

/**
 * Returns the special use of a network that lies within a reserved block; undefined without one.
 * The smallest block counts.
 */
export function specialUseOfNetwork(network: IpBlock): SpecialUse | undefined {
  return specialNetworks.find(({ block }) => containsNetwork(block, network));
}

/** Returns the special use of an AS number; undefined without one. */
export function specialUseOfAutnum(number: number): SpecialUse | undefined {
  return specialAsNumbers.find(({ first, last }) => first <= number && number <= last);
}

/** Returns the special use of a domain name; undefined without one. */
export function specialUseOfName(name: DomainName): SpecialUseName | undefined {
  return specialNames.find(
    ({ suffix }) =>
      name.endsWith(suffix) &&
      (name.length === suffix.length || name[name.length - suffix.length - 1] === '.'),
  );
}

/** Returns why no registry has a special-use name. */
export function specialUseText({ suffix, purpose, source }: SpecialUseName): string {
  return `.${suffix} is reserved ${purpose} (${source}), so no registry has names under it.`;
}

/**
 * IANA's IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890), and the blocks for multicast
 * and future use. Assignments that are globally reachable and registered, such as AS112
 * (192.175.48.0/24), are absent: the registries have them.
 */
const specialNetworks = entriesOf(table.networks)
  .flatMap(({ key, purpose, source }) => {
    const block = parseIpBlock(key);
    return block ? [{ block, purpose, source }] : [];
  })
  .toSorted((a, b) => b.block.length - a.block.length);

/** IANA's registry of special-purpose AS numbers, and the blocks that it reserves. */
const specialAsNumbers = entriesOf(table.asNumbers).map(({ key, purpose, source }) => {
  const [first = NaN, last = NaN] = key.split('-').map(Number);
  return { first, last, purpose, source };
});

/**
 * IANA's registry of special-use domain names (RFC 6761), and `internal`, which ICANN reserves.
 * Without `example.com`, `example.net` and `example.org`, which are registered, and without reverse
 * zones of several labels, such as `168.192.in-addr.arpa`: they are not names under a public suffix.
 */
const specialNames: readonly SpecialUseName[] = entriesOf(table.names).map(
  ({ key, purpose, source }) => ({ suffix: key, purpose, source }),
);

/** Reads entries such as `"10.0.0.0/8": "for private use|RFC 1918"`. */
function entriesOf(
  texts: Readonly<Record<string, string>>,
): readonly (SpecialUse & { readonly key: string })[] {
  return Object.entries(texts).map(([key, text]) => {
    const [purpose = '', source = ''] = text.split('|');
    return { key, purpose, source };
  });
}
