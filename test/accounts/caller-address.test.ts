import { describe, expect, it } from 'vitest';
import { addressLimitId, callerAddress } from '../../src/accounts/caller-address.ts';
import { addressList, isAddressRange } from '../../src/ip-address.ts';
import { readConfig } from '../../src/config.ts';

const proxies = addressList(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7']);

describe("the caller's address", () => {
  it.each<[string, string | undefined, readonly string[], string | undefined]>([
    ['the peer', '203.0.113.9', [], '203.0.113.9'],
    ['the peer, whatever it claims', '203.0.113.9', ['198.51.100.1'], '203.0.113.9'],
    ['the peer, without disguise', '::ffff:203.0.113.9', [], '203.0.113.9'],
    ['unknown when the socket is gone', undefined, ['198.51.100.1'], undefined],
    ['what a trusted proxy saw', '10.1.2.3', ['198.51.100.1'], '198.51.100.1'],
    [
      'what a trusted proxy saw, not what the caller wrote before it',
      '10.1.2.3',
      ['1.2.3.4, 198.51.100.1'],
      '198.51.100.1',
    ],
    [
      'behind two trusted proxies',
      '::ffff:10.1.2.3',
      ['1.2.3.4, 198.51.100.1, 192.0.2.7'],
      '198.51.100.1',
    ],
    [
      'in several lines',
      '10.1.2.3',
      ['1.2.3.4', '198.51.100.1', '192.0.2.7 , 10.9.9.9'],
      '198.51.100.1',
    ],
    ['an IPv6 address behind an IPv6 proxy', '2001:db8:1::5', ['2001:DB8:9::1'], '2001:db8:9::1'],
    ['with a port', '10.1.2.3', ['198.51.100.1:4711'], '198.51.100.1'],
    ['in brackets, with a port', '10.1.2.3', ['[2001:db8:9::1]:4711'], '2001:db8:9::1'],
    ['the first proxy, when all are trusted', '10.1.2.3', ['10.0.0.1, 10.0.0.2'], '10.0.0.1'],
    ['the proxy, when it wrote nothing', '10.1.2.3', [], '10.1.2.3'],
    [
      'the proxy, when it wrote what is no address',
      '10.1.2.3',
      ['198.51.100.1, unknown'],
      '10.1.2.3',
    ],
  ])('is %s', (_, remoteAddress, forwardedFor, address) => {
    const headersDistinct = forwardedFor.length > 0 ? { 'x-forwarded-for': [...forwardedFor] } : {};
    expect(callerAddress({ headersDistinct, socket: { remoteAddress } }, proxies)).toBe(address);
  });

  it('counts for a limit as itself, or with its whole /64', () => {
    expect(addressLimitId('198.51.100.1')).not.toBe(addressLimitId('198.51.100.2'));
    expect(addressLimitId('2001:db8:9::1')).toBe(addressLimitId('2001:db8:9:0:1:2:3:4'));
    expect(addressLimitId('2001:db8:9::1')).not.toBe(addressLimitId('2001:db8:9:1::1'));
    expect(addressLimitId('::1')).toBe(addressLimitId('::2'));
    expect(addressLimitId(undefined)).toBeUndefined();
  });
});

describe('TRUSTED_PROXIES', () => {
  it('takes addresses and networks, separated by commas or spaces', () => {
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
  ])('refuses %s', (text) => {
    expect(() => readConfig({ TRUSTED_PROXIES: text })).toThrow(
      'TRUSTED_PROXIES must be a list of addresses or networks such as 10.0.0.0/8',
    );
    expect(isAddressRange(text)).toBe(false);
  });

  it('of all IPv6 addresses are no IPv4 addresses', () => {
    expect(addressList(['::/0']).has('198.51.100.1')).toBe(false);
  });
});
