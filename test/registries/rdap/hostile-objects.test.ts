import { describe, expect, it } from 'vitest';
import type { ObjectType } from '../../../src/domain/object-ref.ts';
import type { Json, JsonObject } from '../../../src/domain/registration.ts';
import { objectParser, parseObject } from '../../../src/registries/rdap/object-parser.ts';
import { arinEntity, arinNetwork, lacnicAutnum, nameserverObject } from './registry-objects.ts';

const classes: readonly (readonly [string, ObjectType, JsonObject])[] = [
  ['network', 'ip', { ...arinNetwork, country: 'US' }],
  ['autonomous system', 'autnum', lacnicAutnum],
  ['entity', 'entity', arinEntity],
  ['nameserver', 'nameserver', nameserverObject],
];

const commonMembers = ['handle', 'status', 'events', 'entities', 'remarks', 'links', 'redacted'];
const membersOf = (object: JsonObject) => [
  ...new Set([...Object.keys(object), ...commonMembers, 'type', 'publicIds', 'vcardArray']),
];

const nested = (depth: number): Json =>
  JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as Json;
const wrongValues: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\0\u202e',
  [],
  [null],
  [[[['x']]]],
  {},
  { '0': 'x' },
  [{}],
  [{ vcardArray: ['vcard', [[]]], eventAction: [], href: {}, type: {}, identifier: {} }],
  JSON.parse('{"__proto__":{"handle":"x"},"constructor":"x","length":-1,"then":1}') as Json,
  nested(64),
];

/** Parses an object, and expects that the parser does not fail and the result is valid JSON. */
function parsed(type: ObjectType, object: JsonObject): object {
  const errors: unknown[] = [];
  const result = parseObject(type, object, (error) => errors.push(error));
  expect(errors).toEqual([]);
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  return { ...result, raw: undefined };
}

describe.each(classes)('a %s', (_class, type, object) => {
  it.each(membersOf(object))('with any value as %s is parsed', (member) => {
    for (const value of wrongValues) parsed(type, { ...object, [member]: value });
  });

  it('without members has no data but its raw object', () => {
    const values = Object.values(parsed(type, {})).filter((value) => value !== undefined);
    expect(values.every((value) => (Array.isArray(value) ? value.length === 0 : true))).toBe(true);
    expect(parseObject(type, {})).toMatchObject({ raw: {} });
  });

  it('reports an error of the parser, and returns the raw object', () => {
    const errors: unknown[] = [];
    expect(parseObject(type, broken(object), (error) => errors.push(error))).toMatchObject({
      statuses: [],
      events: [],
      entities: [],
      remarks: [],
      links: [],
      redacted: [],
    });
    expect(errors).toEqual([new Error('broken')]);
  });

  it('with huge lists has at most 200 entries in each', () => {
    const result = parsed(type, {
      ...object,
      status: Array.from({ length: 5_000 }, (_, index) => `status ${index}`),
      events: many({ eventAction: 'x' }),
      remarks: [{ description: 'x\n'.repeat(5_000) }, ...Array.from({ length: 4_999 }, () => ({}))],
      links: many({ href: 'https://rdap.test/' }),
      entities: Array.from({ length: 5_000 }, (_, index) => ({ handle: `H${index}` })),
      networks: many({}),
      publicIds: many({ type: 'x', identifier: 'x' }),
      redacted: many({ name: 'x' }),
    });
    for (const value of Object.values(result))
      if (Array.isArray(value)) expect(value.length).toBeLessThanOrEqual(200);
    expect(JSON.stringify(result).length).toBeLessThan(1_000_000);
  });

  it('has texts of one line, without control and bidi characters, of at most 1,000 characters', () => {
    const hostile = `a\u202eb\u0000c\u2066\r\nd${'x'.repeat(5_000)}`;
    const result = parsed(type, {
      ...object,
      handle: hostile,
      name: hostile,
      type: hostile,
      parentHandle: hostile,
      unicodeName: hostile,
      remarks: [{ title: hostile, description: hostile }],
      entities: [{ handle: hostile, publicIds: [{ type: hostile, identifier: hostile }] }],
    });
    const texts = textsOf(result);
    expect(texts.some((text) => text.includes('xxx'))).toBe(true);
    expect(texts.filter((text) => /[\p{Cc}\u202e\u2066]/u.test(text))).toEqual([]);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(1_000);
  });

  it('has no links but web links', () => {
    const hrefs = [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      '//x',
      'HTTP:',
      7,
    ];
    const links = [...hrefs, 'https://rdap.test/'].map((href) => ({ href }));
    expect(parsed(type, { ...object, links })).toMatchObject({
      links: [{ href: 'https://rdap.test/' }],
    });
  });
});

it('reports an error of the parser of entities, and returns none', () => {
  const errors: unknown[] = [];
  const { entitiesIn } = objectParser((error) => errors.push(error));
  expect(entitiesIn(broken({}))).toEqual([]);
  expect(errors).toEqual([new Error('broken')]);
});

/** Returns an object whose members cannot be read. */
function broken(object: JsonObject): JsonObject {
  return new Proxy(object, {
    get: () => {
      throw new Error('broken');
    },
  });
}

/** Returns all texts of a parsed object, without those of raw objects. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === 'raw' ? [] : textsOf(member)));
}

function many(entry: Json): Json {
  return Array.from({ length: 5_000 }, () => entry);
}
