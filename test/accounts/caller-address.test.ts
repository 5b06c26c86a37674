import { describe, expect, it } from 'vitest';
import { addressLimitId, callerAddress } from '../../src/accounts/caller-address.ts';
import { addressList, isAddressRange } from '../../src/domain/names/ip-address.ts';
import { readConfig } from '../../src/config.ts';

const proxies = addressList(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7']);

it.each<[string, string | undefined, readonly string[], string | undefined]>([
  ['the peer', '203.0.113.9', [], '203.0.113.9'],
  ['the peer, whatever headers it sends', '203.0.113.9', ['198.51.100.1'], '203.0.113.9'],
  ['the peer as an IPv4 address, not mapped to IPv6', '::ffff:203.0.113.9', [], '203.0.113.9'],
  ['undefined if the socket is closed', undefined, ['198.51.100.1'], undefined],
  ['the address added by a trusted proxy', '10.1.2.3', ['198.51.100.1'], '198.51.100.1'],
  [
    'the address added by a trusted proxy, not those sent by the caller',
    '10.1.2.3',
    ['1.2.3.4, 198.51.100.1'],
    '198.51.100.1',
  ],
  [
    'the caller behind two trusted proxies',
    '::ffff:10.1.2.3',
    ['1.2.3.4, 198.51.100.1, 192.0.2.7'],
    '198.51.100.1',
  ],
  [
    'the caller if the header is repeated',
    '10.1.2.3',
    ['1.2.3.4', '198.51.100.1', '192.0.2.7 , 10.9.9.9'],
    '198.51.100.1',
  ],
  ['an IPv6 address behind an IPv6 proxy', '2001:db8:1::5', ['2001:DB8:9::1'], '2001:db8:9::1'],
  ['the address without the port', '10.1.2.3', ['198.51.100.1:4711'], '198.51.100.1'],
  ['the address without brackets and port', '10.1.2.3', ['[2001:db8:9::1]:4711'], '2001:db8:9::1'],
  ['the first proxy if all are trusted', '10.1.2.3', ['10.0.0.1, 10.0.0.2'], '10.0.0.1'],
  ['the proxy if it adds nothing', '10.1.2.3', [], '10.1.2.3'],
  [
    'the proxy if it adds something other than an address',
    '10.1.2.3',
    ['198.51.100.1, unknown'],
    '10.1.2.3',
  ],
])('callerAddress returns %s', (_, remoteAddress, forwardedFor, address) => {
  const headersDistinct = forwardedFor.length > 0 ? { 'x-forwarded-for': [...forwardedFor] } : {};
  expect(callerAddress({ headersDistinct, socket: { remoteAddress } }, proxies)).toBe(address);
});

it('addressLimitId distinguishes IPv4 addresses and IPv6 /64 networks', () => {
  expect(addressLimitId('198.51.100.1')).not.toBe(addressLimitId('198.51.100.2'));
  expect(addressLimitId('2001:db8:9::1')).toBe(addressLimitId('2001:db8:9:0:1:2:3:4'));
  expect(addressLimitId('2001:db8:9::1')).not.toBe(addressLimitId('2001:db8:9:1::1'));
  expect(addressLimitId('::1')).toBe(addressLimitId('::2'));
  expect(addressLimitId(undefined)).toBeUndefined();
});

describe('TRUSTED_PROXIES', () => {
  it('accepts addresses and networks, separated by commas or spaces', () => {
    expect(
      readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1 2001:db8::/32' }).TRUSTED_PROXIES,
    ).toEqual(['10.0.0.0/8', '::1', '2001:db8::/32']);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0',
    'proxy.example',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '::/129',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '-',
  ])('rejects %s', (text) => {
    expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(
      'TRUSTED_PROXIES must be a list of addresses or networks such as 10.0.0.0/8',
    );
    expect(isAddressRange(text)).toBe(false);
  });

  it('does not include IPv4 addresses if it lists all IPv6 addresses', () => {
    expect(addressList(['::/0']).has('198.51.100.1')).toBe(false);
  });
});
