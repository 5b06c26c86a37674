import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSnakeCase, toSnakeCaseKeys } from '../../../src/api/rest/key-naming.ts';

describe('a key', () => {
  it.each([
    ['secureDNS', 'secure_dns'],
    ['publicIds', 'public_ids'],
    ['ldhName', 'ldh_name'],
    ['rdapConformance', 'rdap_conformance'],
    ['delegationSigned', 'delegation_signed'],
    ['XMLHttpRequest', 'xml_http_request'],
    ['iPv4Address', 'i_pv4_address'],
    ['sha256Digest', 'sha256_digest'],
    ['DNSSEC', 'dnssec'],
    ['AName', 'a_name'],
    ['A', 'a'],
    ['reverse_Delegation-Id', 'reverse_delegation_id'],
    ['lunarNIC_level_0', 'lunar_nic_level_0'],
    ['@context', '_context'],
    ['a.b c', 'a_b_c'],
    ['a--b', 'a__b'],
    ['👍🏽', '__'],
    ['straßenNummer', 'straßen_nummer'],
    ['ΟδόςΑριθμός', 'οδός_αριθμός'],
    ['日本Key', '日本key'],
  ])('%s becomes %s', (key, name) => {
    expect(toSnakeCase(key)).toBe(name);
  });

  it.each(['cidr0_cidrs', 'port43', 'rdap', 'created_at', '', '_', '__proto__', '日本', '0'])(
    '%j does not change',
    (key) => {
      expect(toSnakeCase(key)).toBe(key);
    },
  );

  it('does not change a second time, whatever characters it has', () => {
    const odd = fc.constantFrom('İ', '𝐀', 'ǅ', 'Ⓐ', 'Ⅷ', 'ᾈ', 'ſ', '̇', '\ud800', 'Σ', '²');
    const unit = fc.oneof(
      fc.constantFrom('a', 'b', 'A', 'B', '1', '_', '-'),
      odd,
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const name = toSnakeCase(units.join(''));
        expect(toSnakeCase(name)).toBe(name);
        expect(name).toMatch(/^[\p{L}\p{Nd}_]*$/u);
      }),
      { numRuns: 2000 },
    );
  });
});

it.each(
  Object.entries({
    'do not change the one that was in snake_case': {
      before: '{"fooBar":1,"foo_bar":2}',
      after: '{"foo_bar_2":1,"foo_bar":2}',
    },
    'get numbered suffixes': {
      before: '{"foo_bar":1,"fooBar":2,"foo-bar":3}',
      after: '{"foo_bar":1,"foo_bar_2":2,"foo_bar_3":3}',
    },
    'give the name to the first one if none was in snake_case': {
      before: '{"fooBar":1,"FooBar":2}',
      after: '{"foo_bar":1,"foo_bar_2":2}',
    },
    'skip suffixes that are in use': {
      before: '{"foo_bar":1,"fooBar":2,"foo_bar_2":3}',
      after: '{"foo_bar":1,"foo_bar_3":2,"foo_bar_2":3}',
    },
    'collide only within an object': {
      before: '{"fooBar":{"foo_bar":1},"list":[{"fooBar":2}]}',
      after: '{"foo_bar":{"foo_bar":1},"list":[{"foo_bar":2}]}',
    },
  }),
)('colliding keys %s', (_what, { before, after }) => {
  expect(JSON.stringify(toSnakeCaseKeys(JSON.parse(before)))).toBe(after);
});

describe('a body in snake_case', () => {
  it('does not change values that look like keys', () => {
    expect(
      toSnakeCaseKeys({ objectClassName: 'secureDNS', list: ['publicIds', null, 1.5, true] }),
    ).toEqual({ object_class_name: 'secureDNS', list: ['publicIds', null, 1.5, true] });
  });

  it.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":1},"toString":2,"hasOwnProperty":3}',
  ])('has exactly the members of %s', (body) => {
    const named = toSnakeCaseKeys(JSON.parse(body));
    expect(leavesOf(named)).toEqual(leavesOf(JSON.parse(body)));
    expect(Object.getPrototypeOf(named)).toBe(Object.prototype);
    expect(named).not.toHaveProperty('is_admin');
  });

  it('may be nested deeper than any accepted registry response', () => {
    const deep = JSON.parse(`${'{"aB":['.repeat(500)}1${']}'.repeat(500)}`);
    expect(JSON.stringify(toSnakeCaseKeys(deep))).toBe(
      `${'{"a_b":['.repeat(500)}1${']}'.repeat(500)}`,
    );
  });

  it('has all values in the same order, and does not change a second time', () => {
    const key = fc.oneof(
      fc.constantFrom('fooBar', 'foo_bar', 'foo-bar', 'foo_bar_2', '__proto__', '7'),
      fc.string({ unit: 'binary' }),
    );
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie('json'), { maxLength: 4 }),
        fc
          .array(fc.tuple(key, tie('json')), { maxLength: 6 })
          .map((members) => Object.fromEntries(members)),
      ),
    }));
    fc.assert(
      fc.property(json, (body) => {
        const named = toSnakeCaseKeys(body);
        expect(leavesOf(named)).toEqual(leavesOf(body));
        expect(JSON.stringify(toSnakeCaseKeys(named))).toBe(JSON.stringify(named));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Returns the value without its keys: the leaves, their order and their depth. */
function leavesOf(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(leavesOf)];
  return typeof value === 'object' && value !== null
    ? ['object', ...Object.values(value).map(leavesOf)]
    : value;
}
