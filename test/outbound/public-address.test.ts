import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/outbound/public-address.ts';

describe('a globally reachable address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
  it.each([
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
  it.each([
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '3ffe:ffff::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

it.each([
  ['this network', '0.0.0.0', '0.255.255.255'],
  [
    'private',
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.0.0',
    '192.168.255.255',
  ],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.255', '::1'],
  ['link-local', '169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1'],
  ['a protocol assignment', '192.0.0.1', '192.0.0.170', '2001::1', '2001:1ff:ffff::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['AS112 or AMT', '192.31.196.1', '192.175.48.1', '192.52.193.1'],
  ['6to4', '192.88.99.1', '2002:7f00:1::1'],
  ['benchmarking', '198.18.0.0', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved', '240.0.0.1', '255.255.255.255', '4000::1', '100::1'],
  ['unspecified', '::'],
  [
    'an embedded IPv4 address',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
  ],
  ['unique local', 'fc00::1', 'fd12:3456::1'],
  ['site-local', 'fec0::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  [
    'not an IP address',
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '127.0.0.1:80',
    '[::1]',
    '1.2.3.4.5',
  ],
])('an address that is not public may be %s: %s', (_case, ...addresses) => {
  for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
});
