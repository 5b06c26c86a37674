import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/registration.ts';
import { parseObject } from '../../../src/registries/rdap/object-parser.ts';
import { parseRelatedEntities } from '../../../src/registries/rdap/entities.ts';
import {
  afrinicNetwork,
  apnicAutnum,
  arinEntity,
  arinNetwork,
  lacnicAutnum,
  lacnicNetwork,
  nameserverObject,
  ripeNetwork,
} from './registry-objects.ts';

describe('a network', () => {
  it('of ARIN is parsed with its holder, abuse contact and origin numbers', () => {
    const label = ['1 Example Way', 'Example City', 'EX', '12345', 'United States'];
    const abuse = {
      roles: ['abuse', 'technical', 'noc'],
      handle: 'ABUSE1-EX',
      kind: 'group',
      name: 'Abuse Desk',
      email: 'abuse@example.test',
      phone: '+ 1 555 010 0100',
      phones: [{ number: '+ 1 555 010 0100', types: ['voice'] }],
    };
    const holder = {
      roles: ['registrant'],
      handle: 'EXAMPLE-ORG',
      kind: 'org',
      name: 'Example Org',
      address: { street: label },
    };
    expect(parseObject('ip', arinNetwork)).toEqual({
      handle: 'NET-192-0-2-0-1',
      startAddress: '192.0.2.0',
      endAddress: '192.0.2.255',
      cidrs: ['192.0.2.0/24'],
      ipVersion: 'v4',
      name: 'EXAMPLE-NET',
      type: 'DIRECT ALLOCATION',
      parentHandle: 'NET-192-0-0-0-0',
      originAutnums: [64496, 64497],
      statuses: ['active'],
      events: [
        { action: 'last changed', date: '2012-02-24T14:44:34.000Z' },
        { action: 'registration', date: '2000-03-30T05:00:00.000Z' },
      ],
      entities: [
        {
          handle: 'EXAMPLE-ORG',
          roles: ['registrant'],
          contact: holder,
          publicIds: [],
          entities: [
            {
              handle: 'ABUSE1-EX',
              roles: abuse.roles,
              contact: abuse,
              publicIds: [],
              entities: [],
            },
          ],
        },
      ],
      remarks: [],
      links: [
        { rel: 'self', href: 'https://rdap.test/ip/192.0.2.0', type: 'application/rdap+json' },
      ],
      redacted: [],
      raw: arinNetwork,
    });
  });

  it('of RIPE is parsed with remarks and redactions, and merges entities that differ only in roles', () => {
    const network = parseObject('ip', ripeNetwork);
    expect(network.country).toBeUndefined();
    expect(network.parentHandle).toBeUndefined();
    expect(network.cidrs).toEqual(['2001:db8::/32']);
    expect(network.remarks).toEqual([
      { description: ['Example network', 'Second line'] },
      { type: 'object truncated due to server policy', description: [] },
    ]);
    expect(network.redacted).toEqual([
      { name: 'Personal e-mail information', method: 'removal', reason: 'Personal data' },
    ]);
    expect(
      network.entities.map(({ handle, roles, contact }) => [handle, roles, contact.email]),
    ).toEqual([
      ['EXAMPLE-MNT', ['registrant'], undefined],
      ['EX1-RIPE', ['administrative', 'technical'], undefined],
      ['EX1-RIPE', ['abuse'], 'abuse@example.test'],
    ]);
    expect(network.entities[1]?.contact.roles).toEqual(['administrative', 'technical']);
  });

  it('that is not one block has a list of blocks, and its country in upper case', () => {
    expect(parseObject('ip', afrinicNetwork)).toMatchObject({
      cidrs: ['198.51.100.64/26', '198.51.100.128/26', '198.51.100.192/32'],
      country: 'ZA',
      statuses: ['active'],
    });
  });

  it('has canonical addresses, and a version if the server omits it', () => {
    expect(parseObject('ip', lacnicNetwork)).toMatchObject({
      startAddress: '2001:db8:c000::',
      endAddress: '2001:db8:c000:ffff:ffff:ffff:ffff:ffff',
      ipVersion: 'v6',
      cidrs: ['2001:db8:c000::/48'],
    });
  });

  it.each<[string, string, string, readonly string[] | number]>([
    ['all IPv4 addresses', '0.0.0.0', '255.255.255.255', ['0.0.0.0/0']],
    ['all IPv6 addresses', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['::/0']],
    ['one address', '192.0.2.1', '192.0.2.1', ['192.0.2.1/32']],
    ['the most blocks of IPv4', '0.0.0.1', '255.255.255.254', 62],
    ['too many blocks of IPv6', '::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe', []],
    ['a reversed range', '192.0.2.255', '192.0.2.0', []],
    ['two versions', '192.0.2.0', '2001:db8::', []],
    ['no end', '192.0.2.0', '', []],
    ['an address in octal', '0x7f.0.0.1', '127.0.0.1', []],
    ['an address with a zone', 'fe80::1%eth0', 'fe80::1', []],
    ['the length of a prefix', '192.0.2.0/32', '192.0.2.255/24', ['192.0.2.0/24']],
  ])('with %s is divided into blocks', (_case, startAddress, endAddress, cidrs) => {
    const parsed = parseObject('ip', { startAddress, endAddress }).cidrs;
    if (typeof cidrs === 'number') expect(new Set(parsed).size).toBe(cidrs);
    else expect(parsed).toEqual(cidrs);
  });

  it.each<[string, Json, readonly string[]]>([
    ['sent blocks', [{ v6prefix: '2001:DB8::', length: '48' }], ['2001:db8::/48']],
    ['a block without host bits', { v4prefix: '192.0.2.77', length: 24 }, ['192.0.2.0/24']],
    [
      'the range if a sent block is invalid',
      [
        { v4prefix: '192.0.2.0', length: 24 },
        { v4prefix: 'x', length: 1 },
      ],
      ['192.0.2.0/25'],
    ],
    ['the range if a length is missing', [{ v4prefix: '192.0.2.0' }], ['192.0.2.0/25']],
    [
      'the range if a length is too long',
      [{ v4prefix: '192.0.2.0', length: 33 }],
      ['192.0.2.0/25'],
    ],
  ])('has %s', (_case, cidr0, cidrs) => {
    const range = { startAddress: '192.0.2.0', endAddress: '192.0.2.127' };
    expect(parseObject('ip', { ...range, cidr0_cidrs: cidr0 }).cidrs).toEqual(cidrs);
  });
});

describe('an autonomous system', () => {
  it('of LACNIC is parsed with numbers that were sent as texts', () => {
    expect(parseObject('autnum', lacnicAutnum)).toMatchObject({
      handle: '64496',
      startNumber: 64496,
      endNumber: 64496,
      name: 'ASN64496',
      country: 'BR',
      entities: [{ handle: '00000000000100', entities: [{ handle: 'EXP1' }] }],
    });
  });

  it('of APNIC is parsed as a block, with an address from a label', () => {
    const autnum = parseObject('autnum', apnicAutnum);
    expect([autnum.startNumber, autnum.endNumber]).toEqual([64500, 64505]);
    expect(autnum.entities[0]?.contact).toMatchObject({
      address: { street: ['PO Box 1', 'Brisbane QLD 4101'] },
      email: 'irt@example.test',
    });
  });

  it.each<[Json, number | undefined]>([
    [0, 0],
    [4_294_967_295, 4_294_967_295],
    [4_294_967_296, undefined],
    [-1, undefined],
    [1.5, undefined],
    ['as64496', 64496],
    ['0.1', undefined],
    ['1e3', undefined],
    [true, undefined],
  ])('sent as %j has the number %s', (sent, number) => {
    expect(parseObject('autnum', { startAutnum: sent }).startNumber).toBe(number);
  });
});

describe('an entity', () => {
  it('is parsed with public ids, networks, autonomous systems and events', () => {
    expect(parseObject('entity', arinEntity)).toMatchObject({
      handle: 'EXAMPLE-ORG',
      roles: ['registrant'],
      contact: { roles: ['registrant'], handle: 'EXAMPLE-ORG', kind: 'org', name: 'Example Org' },
      publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
      statuses: ['client update prohibited'],
      networks: [{ handle: 'NET-192-0-2-0-1', entities: [{ handle: 'EXAMPLE-ORG' }] }],
      autnums: [{ startNumber: 64500 }],
      asEventActor: [{ action: 'last changed', date: '2011-12-31T23:59:59.000Z' }],
      entities: [{ handle: 'ABUSE1-EX', roles: ['abuse'] }],
      raw: arinEntity,
    });
  });

  it('never shows a placeholder, but lists it as a redaction', () => {
    const { contact, redacted } = parseObject('entity', arinEntity);
    expect(contact.email).toBeUndefined();
    expect(redacted.map(({ name }) => name)).toEqual(['Email']);
    expect(parseObject('entity', { handle: 'REDACTED FOR PRIVACY' })).toMatchObject({
      contact: { roles: [] },
      redacted: [{ name: 'Handle' }],
    });
  });
});

describe('a nameserver object', () => {
  it('is parsed with its addresses and its registrar', () => {
    expect(parseObject('nameserver', nameserverObject)).toMatchObject({
      handle: 'HOST-1',
      ldhName: 'ns1.xn--fo-5ja.example',
      unicodeName: 'ns1.fóo.example',
      ipv4: ['192.0.2.1'],
      ipv6: ['2001:db8::1'],
      statuses: ['server update prohibited'],
      entities: [{ publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }] }],
    });
  });

  it('without an A-label has the one of its Unicode name', () => {
    const { ldhName } = parseObject('nameserver', { unicodeName: 'ns1.fóo.example' });
    expect(ldhName).toBe('ns1.xn--fo-5ja.example');
  });
});

describe('related entities', () => {
  it('omit entities without any data', () => {
    expect(parseRelatedEntities({ entities: [{}, 'x', null, { entities: [{}] }] })).toEqual([]);
  });

  it('are read four levels deep', () => {
    const nested = [1, 2, 3, 4, 5, 6].reduceRight<Json>(
      (entities, level) => [{ handle: `H${level}`, entities }],
      [],
    );
    const handles = JSON.stringify(parseRelatedEntities({ entities: nested })).match(/H\d/g);
    expect(new Set(handles)).toEqual(new Set(['H1', 'H2', 'H3', 'H4']));
  });

  it('are at most 200, outer before inner', () => {
    const inner = Array.from({ length: 150 }, (_, index) => ({ handle: `INNER${index}` }));
    const outer = Array.from({ length: 150 }, (_, index) => ({
      handle: `OUTER${index}`,
      entities: inner,
    }));
    const entities = parseRelatedEntities({ entities: JSON.parse(JSON.stringify(outer)) as Json });
    expect(entities.length).toBe(150);
    expect(entities.flatMap((entity) => entity.entities).length).toBe(50);
  });

  it('without a handle are not merged', () => {
    const entities = parseRelatedEntities({ entities: [{ roles: ['a'] }, { roles: ['b'] }] });
    expect(entities.map(({ roles }) => roles)).toEqual([['a'], ['b']]);
  });
});
