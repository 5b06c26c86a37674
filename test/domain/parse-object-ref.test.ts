import { describe, expect, it } from 'vitest';
import {
  lookupPath,
  detectObjectType,
  parseAutnumRef,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
} from '../../src/domain/object-ref.ts';
import { problemOf } from '../support/checks/problem-of.ts';

const server = 'https://rdap.example/';

describe('an IP address or network', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['192.0.2.1/32', '192.0.2.1'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['192.0.2.77/24', '192.0.2.0/24'],
    ['255.255.255.255/0', '0.0.0.0/0'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0001/128', '2001:db8::1'],
    ['2001:0db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:ffff::1/32', '2001:db8::/32'],
    ['::', '::'],
    ['::/0', '::/0'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/1', '8000::/1'],
    ['2001:db8::192.0.2.1', '2001:db8::c000:201'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['::ffff:192.0.2.77/120', '192.0.2.0/24'],
    ['::ffff:192.0.2.1/64', '::/64'],
  ])('%s has the canonical form %s', (text, ip) => {
    expect(parseIpRef(text)).toEqual({ type: 'ip', key: `ip/${ip}`, ip });
    expect(lookupPath(parseIpRef(text))).toBe(`ip/${ip}`);
    expect(parseIpRef(ip).ip).toBe(ip);
  });

  it.each(
    [
      '192.0.2|192.0.2.1.1|192.0.2.256|192.0.02.1|0300.0.2.1|0xc0.0.2.1|3221225985|192.0.2.1:80',
      '192.0.2.0/33|192.0.2.0/-1|192.0.2.0/|192.0.2.0/8/8|192.0.2.0/+8|192.0.2.0/255.255.255.0',
      '[2001:db8::1]|[2001:db8::1]:443|fe80::1%eth0|2001:db8::/129|2001:db8:::1|2001:db8::1::1',
      '2001:db8::g|1 .1.1.1|١٩٢.0.2.1|192。0。2。1|example.com',
      '9'.repeat(100_000),
    ].flatMap((line) => line.split('|')),
  )('%s is rejected', (text) => {
    expect(problemOf(() => parseIpRef(text))).toMatchObject({
      code: 'invalid_parameter',
      param: 'address',
    });
  });
});

describe('an AS number', () => {
  it.each<[string | number, number]>([
    ['AS64496', 64496],
    ['as64496', 64496],
    [' 64496 ', 64496],
    [64496, 64496],
    [0, 0],
    ['AS0', 0],
    ['4294967295', 4_294_967_295],
    [4_294_967_295, 4_294_967_295],
    ['0064496', 64496],
    ['AS1.10', 65_546],
    ['as65535.65535', 4_294_967_295],
    ['ASN3333', 3333],
    ['AS 3333', 3333],
    ['asn: 3333', 3333],
    ['AS#1.10', 65_546],
  ])('%s is %i', (input, number) => {
    expect(parseAutnumRef(input)).toEqual({ type: 'autnum', key: `autnum/${number}`, number });
  });

  it.each<[string | number]>([
    ['AS'],
    ['AS-1'],
    ['AS65536.0'],
    ['AS1.65536'],
    ['1.10'],
    [1.5],
    ['ASX1'],
    ['XAS1'],
    ['-1'],
    ['1.10'],
    ['4294967296'],
    ['AS99999999999'],
    ['1e3'],
    [-1],
    [1.5],
    [NaN],
    [Infinity],
    [4_294_967_296],
    [1e21],
  ])('%s is rejected', (input) => {
    expect(problemOf(() => parseAutnumRef(input))).toMatchObject({
      code: 'invalid_parameter',
      param: 'number',
    });
  });
});

describe('a handle', () => {
  it.each([
    ['ORG-Example1-ARIN', 'entity/ORG-Example1-ARIN'],
    [' abuse-ripe ', 'entity/abuse-ripe'],
    ['A B/C?d#e%2f', 'entity/A%20B%2FC%3Fd%23e%252f'],
    ['Müller-ARIN', 'entity/M%C3%BCller-ARIN'],
    ['..a', 'entity/..a'],
    ['漢'.repeat(100), `entity/${'%E6%BC%A2'.repeat(100)}`],
  ])('%s keeps its case, and its path is %s', (text, path) => {
    const ref = parseEntityRef(text);
    expect(ref).toEqual({ type: 'entity', key: path, handle: text.trim() });
    expect(lookupPath(ref)).toBe(path);
    expect(new URL(path, server).href).toBe(`${server}${path}`);
  });

  it('has another key at each server', () => {
    const refs = [
      parseEntityRef('X'),
      parseEntityRef('X', server),
      parseEntityRef('X', 'https://other.example/'),
      parseEntityRef(`X ${server}`),
    ];
    expect(refs[1]).toMatchObject({ key: `entity/X ${server}`, baseUrl: server });
    expect(new Set(refs.map(({ key }) => key)).size).toBe(refs.length);
  });

  it.each(
    ['/', '//', '.', '..', '../..', '\\', 'a\nb', 'a\0', 'a\u007f', '\ud800x'].concat(
      '9'.repeat(101),
    ),
  )('%j is rejected', (handle) => {
    expect(problemOf(() => parseEntityRef(handle))).toMatchObject({
      code: 'invalid_parameter',
      param: 'handle',
    });
  });
});

describe('a nameserver', () => {
  it.each([
    ['NS1.Example.COM.', 'ns1.example.com'],
    ['ns1.bücher.example', 'ns1.xn--bcher-kva.example'],
    ['ns1。example。test', 'ns1.example.test'],
  ])('%s has the name %s', (text, name) => {
    expect(parseNameserverRef(text)).toEqual({
      type: 'nameserver',
      key: `nameserver/${name}`,
      name,
    });
  });

  it.each(['ns1', '192.0.2.1', 'ns_1.example.com', 'ns1.example.com/x', 'ns1..com'])(
    '%j is rejected',
    (text) => {
      expect(problemOf(() => parseNameserverRef(text))).toMatchObject({
        code: 'invalid_parameter',
        param: 'name',
      });
    },
  );
});

it.each<[param: string, parse: (text: string) => object]>([
  ['address', parseIpRef],
  ['number', parseAutnumRef],
  ['handle', parseEntityRef],
  ['name', parseNameserverRef],
])('an empty %s is missing', (param, parse) => {
  for (const text of ['', ' '])
    expect(problemOf(() => parse(text))).toMatchObject({ code: 'missing_parameter', param });
});

it.each([
  ['192.0.2.1', 'ip'],
  [' 192.0.2.0/24 ', 'ip'],
  ['2001:db8::', 'ip'],
  ['2001:DB8::/32', 'ip'],
  ['::ffff:192.0.2.1', 'ip'],
  ['300.1.2.3', 'ip'],
  ['192.0.2.0/99', 'ip'],
  ['[2001:db8::1]', 'ip'],
  ['fe80::1%eth0', 'ip'],
  ['192.0.2.0-192.0.2.255', 'ip'],
  ['2001:db8:: – 2001:db8::ff', 'ip'],
  ['AS64496', 'autnum'],
  ['as1', 'autnum'],
  ['AS1.10', 'autnum'],
  ['AS64496-AS64511', 'autnum'],
  ['as64496 - 64511', 'autnum'],
  ['64496', 'autnum'],
  ['99999999999', 'autnum'],
  ['example.com', 'domain'],
  ['bücher。example', 'domain'],
  ['1.2.0.192.in-addr.arpa', 'reverse_zone'],
  ['ns1.example.com', 'domain'],
  ['ORG-EXAMPLE-ARIN', 'entity'],
  ['ASSIGN-1', 'entity'],
  ['com', 'domain'],
  ['', 'domain'],
])('the type of a query %j is %s', (text, type) => {
  expect(detectObjectType(text)).toBe(type);
});
