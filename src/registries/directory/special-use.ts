import { containsNetwork, parseIpNetwork, type IpNetwork } from '../../domain/ip-network.ts';
import type { DomainName } from '../../domain/domain-name.ts';

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
export function specialUseOfNetwork(network: IpNetwork): SpecialUse | undefined {
  return specialNetworks.find(({ block }) => containsNetwork(block, network));
}

/** Returns the special use of an AS number; undefined without one. */
export function specialUseOfAutnum(number: number): SpecialUse | undefined {
  return specialAsNumbers.find(({ first, last }) => first <= number && number <= last);
}

/** Returns the special use of a domain name; undefined without one. */
export function specialUseOfName(name: DomainName): SpecialUseName | undefined {
  return specialNames.find(({ suffix }) => name === suffix || name.endsWith(`.${suffix}`));
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
const specialNetworks = table(`
  0.0.0.0/8            to mean this network|RFC 791
  0.0.0.0/32           to mean this host|RFC 1122
  10.0.0.0/8           for private use|RFC 1918
  100.64.0.0/10        for carrier-grade NAT|RFC 6598
  127.0.0.0/8          for loopback|RFC 1122
  169.254.0.0/16       for link-local use|RFC 3927
  172.16.0.0/12        for private use|RFC 1918
  192.0.0.0/24         for protocol assignments of the IETF|RFC 6890
  192.0.0.0/29         for IPv4 service continuity|RFC 7335
  192.0.0.8/32         for the IPv4 dummy address|RFC 7600
  192.0.0.9/32         for anycast of the Port Control Protocol|RFC 7723
  192.0.0.10/32        for anycast of TURN|RFC 8155
  192.0.0.170/31       for the discovery of NAT64 and DNS64|RFC 7050
  192.0.2.0/24         for documentation (TEST-NET-1)|RFC 5737
  192.88.99.0/24       for 6to4 relays, now deprecated|RFC 7526
  192.168.0.0/16       for private use|RFC 1918
  198.18.0.0/15        for benchmarks|RFC 2544
  198.51.100.0/24      for documentation (TEST-NET-2)|RFC 5737
  203.0.113.0/24       for documentation (TEST-NET-3)|RFC 5737
  224.0.0.0/4          for multicast|RFC 5771
  233.252.0.0/24       for documentation of multicast|RFC 6676
  240.0.0.0/4          for future use|RFC 1112
  255.255.255.255/32   for limited broadcast|RFC 919
  ::/96                for IPv4-compatible addresses, now deprecated|RFC 4291
  ::/128               for the unspecified address|RFC 4291
  ::1/128              for loopback|RFC 4291
  64:ff9b::/96         for translation between IPv4 and IPv6|RFC 6052
  64:ff9b:1::/48       for local translation between IPv4 and IPv6|RFC 8215
  100::/64             for discarded packets|RFC 6666
  100:0:0:1::/64       for the dummy IPv6 prefix|RFC 9780
  2001::/23            for protocol assignments of the IETF|RFC 2928
  2001::/32            for Teredo|RFC 4380
  2001:2::/48          for benchmarks|RFC 5180
  2001:10::/28         for ORCHID, now deprecated|RFC 4843
  2001:20::/28         for ORCHIDv2|RFC 7343
  2001:30::/28         for remote identification of drones|RFC 9374
  2001:db8::/32        for documentation|RFC 3849
  2002::/16            for 6to4|RFC 3056
  3fff::/20            for documentation|RFC 9637
  5f00::/16            for SRv6 segment identifiers|RFC 9602
  fc00::/7             for private use (unique local addresses)|RFC 4193
  fe80::/10            for link-local use|RFC 4291
  fec0::/10            for site-local use, now deprecated|RFC 3879
  ff00::/8             for multicast|RFC 4291
`)
  .flatMap(({ key, purpose, source }) => {
    const block = parseIpNetwork(key);
    return block ? [{ block, purpose, source }] : [];
  })
  .toSorted((a, b) => b.block.length - a.block.length);

/** IANA's registry of special-purpose AS numbers, and the blocks that it reserves. */
const specialAsNumbers = table(`
  0-0                     for unallocated networks|RFC 7607
  23456-23456             for AS_TRANS, the stand-in for longer numbers|RFC 6793
  64496-64511             for documentation|RFC 5398
  64512-65534             for private use|RFC 6996
  65535-65535             as the last 16-bit number|RFC 7300
  65536-65551             for documentation|RFC 5398
  65552-131071            by IANA|IANA, AS numbers
  4200000000-4294967294   for private use|RFC 6996
  4294967295-4294967295   as the last 32-bit number|RFC 7300
`).map(({ key, purpose, source }) => {
  const [first = NaN, last = NaN] = key.split('-').map(Number);
  return { first, last, purpose, source };
});

/**
 * IANA's registry of special-use domain names (RFC 6761), and `internal`, which ICANN reserves.
 * Without `example.com`, `example.net` and `example.org`, which are registered, and without reverse
 * zones of several labels, such as `168.192.in-addr.arpa`: they are not names under a public suffix.
 */
const specialNames: readonly SpecialUseName[] = table(`
  alt                 for names outside the DNS|RFC 9476
  example             for documentation|RFC 6761
  internal            for private use|ICANN resolution 2024.07.29.06
  invalid             for names that are invalid on purpose|RFC 6761
  local               for names in the local network (mDNS)|RFC 6762
  localhost           for the local host|RFC 6761
  onion               for services in the Tor network|RFC 7686
  test                for tests|RFC 6761
  6tisch.arpa         for 6TiSCH networks|RFC 9031
  eap-noob.arpa       for EAP-NOOB|RFC 9140
  home.arpa           for home networks|RFC 8375
  ipv4only.arpa       for the discovery of NAT64|RFC 8880
  resolver.arpa       for the discovery of DNS resolvers|RFC 9462
  service.arpa        for the discovery of services|RFC 9665
  10.in-addr.arpa     for the reverse zone of private addresses|RFC 6761
`).map(({ key, purpose, source }) => ({ suffix: key, purpose, source }));

/** Reads lines such as `10.0.0.0/8  for private use|RFC 1918`. */
function table(text: string): readonly (SpecialUse & { readonly key: string })[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [, key = '', purpose = '', source = ''] =
        /^\s*(\S+)\s+([^\s|][^|]*)\|([^|]+)$/.exec(line) ?? [];
      return { key, purpose, source };
    });
}
