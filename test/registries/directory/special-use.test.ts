import { describe, expect, it } from 'vitest';
import {
  specialUseOfAutnum,
  specialUseOfNetwork,
} from '../../../src/registries/directory/special-use.ts';
import { parseIpBlock } from '../../../src/domain/names/ip-address.ts';

function purposeOf(text: string): string | undefined {
  const network = parseIpBlock(text);
  if (!network) throw new Error(`${text} is not a network`);
  const special = specialUseOfNetwork(network);
  return special && `${special.purpose} (${special.source})`;
}

describe('a special-use address', () => {
  it.each([
    ['10.0.0.1', 'for private use (RFC 1918)'],
    ['10.0.0.0/8', 'for private use (RFC 1918)'],
    ['172.31.255.255', 'for private use (RFC 1918)'],
    ['192.168.1.0/24', 'for private use (RFC 1918)'],
    ['0.0.0.0', 'to mean this host (RFC 1122)'],
    ['0.1.2.3', 'to mean this network (RFC 791)'],
    ['127.0.0.1', 'for loopback (RFC 1122)'],
    ['192.0.0.1', 'for IPv4 service continuity (RFC 7335)'],
    ['192.0.0.100', 'for protocol assignments of the IETF (RFC 6890)'],
    ['192.0.2.1', 'for documentation (TEST-NET-1) (RFC 5737)'],
    ['239.255.255.250', 'for multicast (RFC 5771)'],
    ['250.1.1.1', 'for future use (RFC 1112)'],
    ['255.255.255.255', 'for limited broadcast (RFC 919)'],
    ['::', 'for the unspecified address (RFC 4291)'],
    ['::1', 'for loopback (RFC 4291)'],
    ['::ffff:10.0.0.1', 'for private use (RFC 1918)'],
    ['2001:0:1::', 'for Teredo (RFC 4380)'],
    ['2001:db8::/33', 'for documentation (RFC 3849)'],
    ['fd00::1', 'for private use (unique local addresses) (RFC 4193)'],
    ['fe80::1', 'for link-local use (RFC 4291)'],
    ['ff02::1', 'for multicast (RFC 4291)'],
  ])('%s is reserved %s', (text, purpose) => {
    expect(purposeOf(text)).toBe(purpose);
  });

  it.each(
    [
      '8.8.8.8 9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 10.0.0.0/7 192.175.48.1 192.0.1.0',
      '0.0.0.0/0 223.255.255.255 2001:200:: 2a00::1 ::/0 2620:4f:8000:: 2001:db9:: 2001:db8::/31',
    ].flatMap((line) => line.split(' ')),
  )('does not include %s', (text) => {
    expect(purposeOf(text)).toBeUndefined();
  });
});

describe('a special AS number', () => {
  it.each([
    [0, 'RFC 7607'],
    [23456, 'RFC 6793'],
    [64496, 'RFC 5398'],
    [64511, 'RFC 5398'],
    [64512, 'RFC 6996'],
    [65534, 'RFC 6996'],
    [65535, 'RFC 7300'],
    [65551, 'RFC 5398'],
    [131_071, 'IANA, AS numbers'],
    [4_200_000_000, 'RFC 6996'],
    [4_294_967_294, 'RFC 6996'],
    [4_294_967_295, 'RFC 7300'],
  ])('AS%i is reserved by %s', (number, source) => {
    expect(specialUseOfAutnum(number)).toMatchObject({ source });
  });

  it.each([1, 112, 23455, 23457, 64495, 131_072, 4_199_999_999])(
    'does not include AS%i',
    (number) => {
      expect(specialUseOfAutnum(number)).toBeUndefined();
    },
  );
});
