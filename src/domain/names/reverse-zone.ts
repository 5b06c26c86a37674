import { addressBits, parseIpBlock, type IpBlock } from './ip-address.ts';

/** A reverse zone (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export interface ReverseZoneName {
  /** Lower case, without a trailing dot; a slash as in RFC 2317 is not encoded. */
  readonly name: string;
  /** The addresses of the zone; for a part of a /24 (RFC 2317), those of the zone above it. */
  readonly network: IpBlock;
}

/** The families of addresses: how many bits a label stands for, and the suffix of all zones. */
const families = {
  4: {
    suffix: 'in-addr.arpa',
    bits: 8,
    radix: 10,
    label: /^(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$/,
  },
  6: { suffix: 'ip6.arpa', bits: 4, radix: 16, label: /^[\da-f]$/ },
} as const;

/** The smallest networks that registries delegate zones of. */
const maxLengths = { 4: 24, 6: 48 } as const;

/** Returns whether a name, in any case, is below one of the suffixes of reverse zones. */
export function isReverseName(name: string): boolean {
  return /\.(?:in-addr|ip6)\.arpa\.?$/i.test(name.trim());
}

/**
 * Parses the name of a reverse zone, such as `2.0.192.in-addr.arpa`, also of a part of a /24
 * (RFC 2317): `0/25.2.0.192.in-addr.arpa`, with `%2F` or another label instead. Undefined for
 * anything else.
 */
export function parseReverseZone(text: string): ReverseZoneName | undefined {
  const name = text.trim().toLowerCase().replace(/\.$/, '').replaceAll('%2f', '/');
  const version = name.endsWith(`.${families[4].suffix}`) ? 4 : 6;
  const { suffix, bits, label, radix } = families[version];
  if (!name.endsWith(`.${suffix}`)) return undefined;

  const labels = name.slice(0, -suffix.length - 1).split('.');
  const part = label.test(labels[0] ?? '') ? undefined : labels.shift();
  const isPart = version === 4 && labels.length > 0 && classlessLabel.test(part ?? '');
  if (part !== undefined && !isPart) return undefined;

  const length = labels.length * bits;
  if (length === 0 || length > addressBits[version] || !labels.every((each) => label.test(each)))
    return undefined;

  const number = labels
    .toReversed()
    .reduce((sum, each) => (sum << BigInt(bits)) | BigInt(parseInt(each, radix)), 0n);
  const first = number << BigInt(addressBits[version] - length);

  return { name, network: { version, first, length } };
}

/** The label of a part: its range or prefix, or a word, but no number. */
const classlessLabel = /^(?!\d+$)[a-z\d_](?:[a-z\d_/-]{0,61}[a-z\d_])?$/;

/**
 * Returns the name of the reverse zone in which the first address of a network is: that of the /24
 * or the /48, or of the next larger network with a zone, if the network is larger.
 */
export function reverseZoneOf({ version, first, length }: IpBlock): string {
  const { suffix, bits, radix } = families[version];
  const labels = Math.max(1, Math.ceil(Math.min(length, maxLengths[version]) / bits));
  const numbers = Array.from({ length: labels }, (_, index) =>
    Number((first >> BigInt(addressBits[version] - (index + 1) * bits)) & BigInt((1 << bits) - 1)),
  );
  return [...numbers.toReversed().map((number) => number.toString(radix)), suffix].join('.');
}

/** Returns the name of the reverse zone of an address or a network; undefined for anything else. */
export function reverseZoneOfText(text: string): string | undefined {
  const network = parseIpBlock(text.trim());
  return network && reverseZoneOf(network);
}
