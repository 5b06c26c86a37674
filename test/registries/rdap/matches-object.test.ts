import { describe, expect, it } from 'vitest';
import {
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
} from '../../../src/domain/object-ref.ts';
import type { Json, JsonObject } from '../../../src/domain/registration.ts';
import { matchesObject } from '../../../src/registries/rdap/object-source.ts';
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

const refs = {
  ip: parseIpRef('192.0.2.1'),
  autnum: parseAutnumRef(64496),
  entity: parseEntityRef('EXAMPLE-ORG'),
  nameserver: parseNameserverRef('ns1.fóo.example'),
};
const objects = {
  ip: arinNetwork,
  autnum: lacnicAutnum,
  entity: arinEntity,
  nameserver: nameserverObject,
};
const types = ['ip', 'autnum', 'entity', 'nameserver'] as const;

describe('an object', () => {
  it.each(types)('of class %s matches only a lookup of its class', (type) => {
    expect(types.filter((other) => matchesObject(refs[type], objects[other]))).toEqual([type]);
    expect(types.filter((other) => matchesObject(refs[other], objects[type]))).toEqual([type]);
  });

  it.each<Json>(['domain', 'network', 'ip', '', null, 7, ['ip network'], {}])(
    'with the class %j does not match',
    (objectClassName) => {
      for (const type of types)
        expect(matchesObject(refs[type], { ...objects[type], objectClassName })).toBe(false);
    },
  );

  it.each(types)('of class %s without its other members does not match', (type) => {
    const { objectClassName = '' } = objects[type];
    expect(matchesObject(refs[type], { objectClassName })).toBe(false);
  });

  it.each<[string, keyof typeof refs, string]>([
    ['start address', 'ip', 'startAddress'],
    ['end address', 'ip', 'endAddress'],
    ['first number', 'autnum', 'startAutnum'],
    ['last number', 'autnum', 'endAutnum'],
    ['handle', 'entity', 'handle'],
    ['name', 'nameserver', 'ldhName'],
  ])('with an invalid %s does not match', (_case, type, member) => {
    for (const value of [true, {}, [], ['192.0.2.1'], 'x', '\u202e', '../..'])
      expect(
        matchesObject(refs[type], { ...objects[type], unicodeName: '', [member]: value }),
      ).toBe(false);
  });
});

describe('a network', () => {
  it.each<[string, JsonObject, boolean]>([
    ['192.0.2.0', arinNetwork, true],
    ['192.0.2.255', arinNetwork, true],
    ['192.0.2.0/24', arinNetwork, true],
    ['::ffff:192.0.2.1', arinNetwork, true],
    ['192.0.2.0/23', arinNetwork, false],
    ['192.0.3.0', arinNetwork, false],
    ['192.0.1.255', arinNetwork, false],
    ['2001:db8::1', arinNetwork, false],
    ['::c000:201', arinNetwork, false],
    ['198.51.100.192', afrinicNetwork, true],
    ['198.51.100.64/26', afrinicNetwork, true],
    ['198.51.100.193', afrinicNetwork, false],
    ['198.51.100.128/25', afrinicNetwork, false],
    ['2001:db8:c000::/48', lacnicNetwork, true],
    ['2001:db8::/32', lacnicNetwork, false],
    ['2001:db8::/32', ripeNetwork, true],
    ['2001:db9::', ripeNetwork, false],
  ])('is checked for %s: $2', (address, object, matches) => {
    expect(matchesObject(parseIpRef(address), object)).toBe(matches);
  });

  it.each([
    ['192.0.2.0/32', '192.0.2.255'],
    ['192.0.2.0/24', '192.0.2.255/24'],
    ['192.0.2.0', '192.0.2.255/32'],
  ])('may append the length of a prefix to its addresses: %s - %s', (startAddress, endAddress) => {
    const object = { ...arinNetwork, startAddress, endAddress };
    expect(matchesObject(parseIpRef('192.0.2.1'), object)).toBe(true);
    expect(matchesObject(parseIpRef('192.0.3.0'), object)).toBe(false);
  });

  it('with a reversed range contains nothing', () => {
    const { startAddress = '', endAddress = '' } = arinNetwork;
    const reversed = { ...arinNetwork, startAddress: endAddress, endAddress: startAddress };
    for (const address of ['192.0.2.0', '192.0.2.1', '192.0.2.255'])
      expect(matchesObject(parseIpRef(address), reversed)).toBe(false);
  });
});

it.each<[number, JsonObject, boolean]>([
  [64500, apnicAutnum, true],
  [64503, apnicAutnum, true],
  [64505, apnicAutnum, true],
  [64499, apnicAutnum, false],
  [64506, apnicAutnum, false],
  [64496, { objectClassName: 'autnum', startAutnum: 64496 }, true],
  [64496, { objectClassName: 'autnum', startAutnum: 64496, endAutnum: null }, true],
  [64497, { objectClassName: 'autnum', startAutnum: 64496 }, false],
  [64497, { objectClassName: 'autnum', startAutnum: 64498, endAutnum: 64496 }, false],
  [64496, { objectClassName: 'autnum', handle: 'AS64496' }, false],
])('a block of numbers is checked for %i: $2', (number, object, matches) => {
  expect(matchesObject(parseAutnumRef(number), object)).toBe(matches);
});

it.each<[string, Json, boolean]>([
  ['example-org', 'EXAMPLE-ORG', true],
  ['9999', 9999, true],
  ['EXAMPLE-ORG', ' EXAMPLE-ORG ', true],
  ['EXAMPLE-ORG', 'EXAMPLE-ORG2', false],
  ['EXAMPLE-ORG', 'EXAMPLE\u200bORG', false],
  ['null', null, false],
  ['undefined', {}, false],
])('a handle %s is compared with %j', (requested, handle, matches) => {
  const object = { objectClassName: 'entity', handle };
  expect(matchesObject(parseEntityRef(requested), object)).toBe(matches);
});

it.each<[JsonObject, boolean]>([
  [{ ldhName: 'ns1.xn--fo-5ja.example' }, true],
  [{ ldhName: '', unicodeName: 'NS1.FÓO.example.' }, true],
  [{ ldhName: 'ns2.xn--fo-5ja.example', unicodeName: 'ns1.fóo.example' }, false],
  [{ unicodeName: 'ns1.foo.example' }, false],
])('a host name in %j is compared: %s', (members, matches) => {
  const object = { objectClassName: 'nameserver', ...members };
  expect(matchesObject(refs.nameserver, object)).toBe(matches);
});
