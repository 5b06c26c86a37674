import { describe, expect, it } from 'vitest';
import type { DomainName } from '../../src/domain/names/domain-name.ts';
import type { EntityRef } from '../../src/domain/object-ref.ts';
import { isSandboxObject } from '../../src/sandbox/objects.ts';

const key = 'key';
const ip = (address: string) => isSandboxObject({ type: 'ip', key, ip: address });
const autnum = (number: number) => isSandboxObject({ type: 'autnum', key, number });
const entity = (handle: string) => isSandboxObject({ type: 'entity', key, handle });
const nameserver = (name: string) =>
  isSandboxObject({ type: 'nameserver', key, name: name as DomainName });

describe('isSandboxObject', () => {
  it('returns true for addresses reserved for documentation', () => {
    for (const address of ['192.0.2.0', '198.51.100.0/24', '203.0.113.255', '2001:db8::/32'])
      expect(ip(address), address).toBe(true);
    for (const address of ['192.0.1.255', '192.0.2.0/23', '2001:db9::', '2001:db8::/31', '::'])
      expect(ip(address), address).toBe(false);
  });

  it('returns true for AS64496 to AS64511', () => {
    expect([64_495, 64_496, 64_511, 64_512].map(autnum)).toEqual([false, true, true, false]);
  });

  it('returns true for handles that end with -SANDBOX', () => {
    expect(['9999-SANDBOX', 'x-sandbox', '9999', '-SANDBOX', 'X-SANDBOX-TAG'].map(entity)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('returns true for a handle at a server only if the server is the sandbox', () => {
    const ref: EntityRef = {
      type: 'entity',
      key,
      handle: 'X-SANDBOX',
      baseUrl: 'https://rdap.example/',
    };
    expect(isSandboxObject(ref)).toBe(false);
    expect(isSandboxObject(ref, 'http://127.0.0.1:1/')).toBe(false);
    expect(isSandboxObject(ref, 'https://rdap.example/')).toBe(true);
  });

  it('returns true for nameservers under .test', () => {
    expect(['ns1.example-dns.test', 'ns.test', 'ns1.example.com'].map(nameserver)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
