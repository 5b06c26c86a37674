import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/domain/registration.ts';
import {
  asList,
  asObject,
  listOf,
  objectsOf,
  omitUndefined,
  readJson,
} from '../../../src/registries/rdap/json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => bytes('['.repeat(levels) + ']'.repeat(levels));

describe('the body of a response', () => {
  it('is parsed as JSON', () => {
    expect(readJson(bytes('{"ldhName":"bücher.example"}'))).toEqual({ ldhName: 'bücher.example' });
  });

  it('may start with a byte order mark', () => {
    expect(readJson(bytes('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });

  it.each(['', ' ', '<html>', '{"a":1', '{"a":1}x', 'undefined'])(
    'is rejected if it is %j',
    (text) => {
      expect(readJson(bytes(text))).toBeUndefined();
    },
  );

  it('is rejected if it is not UTF-8', () => {
    expect(readJson(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))).toBeUndefined();
  });

  it('may be nested up to 64 levels deep', () => {
    expect(readJson(nested(64))).toBeDefined();
    expect(readJson(nested(65))).toBeUndefined();
  });

  it.each(['[', '{"a":'])(
    'is rejected without a stack overflow if it nests %s a hundred thousand times',
    (open) => {
      const close = open === '[' ? ']' : '}';
      expect(readJson(bytes(open.repeat(100_000)))).toBeUndefined();
      expect(readJson(bytes(`${open.repeat(100_000)}1${close.repeat(100_000)}`))).toBeUndefined();
    },
  );

  it('may contain up to 50,000 values', () => {
    expect(readJson(bytes(JSON.stringify(Array(49_999).fill(0))))).toHaveLength(49_999);
    expect(readJson(bytes(JSON.stringify(Array(50_000).fill(0))))).toBeUndefined();
  });

  it('may have a member named __proto__, which does not become the prototype', () => {
    const json = asObject(readJson(bytes('{"__proto__":{"handle":"X"}}')));
    expect(json && Object.keys(json)).toEqual(['__proto__']);
    expect(json?.['handle']).toBeUndefined();
  });
});

describe('a list in a response', () => {
  it.each<[string, Json | undefined, readonly Json[]]>([
    ['an array', ['a', 'b'], ['a', 'b']],
    ['an object with the keys 0, 1, 2', { 0: 'a', 1: 'b' }, ['a', 'b']],
    ['a single entry without a list', 'a', ['a']],
    ['an empty object, as PHP encodes an empty list', {}, []],
    ['null', null, []],
    ['absent', undefined, []],
    ['a single object', { a: 1 }, [{ a: 1 }]],
  ])('may be %s', (_case, sent, entries) => {
    expect(listOf(sent)).toEqual(entries);
  });

  it('is limited to 200 entries', () => {
    expect(listOf(Array(10_000).fill(0))).toHaveLength(200);
    expect(listOf({ ...Array(10_000).fill(0) })).toHaveLength(200);
  });

  it('of objects omits entries that are not objects', () => {
    expect(objectsOf([{ a: 1 }, null, 'x', 3, [{ b: 2 }]])).toEqual([{ a: 1 }]);
  });

  it('is not a text, null, or an object with other keys', () => {
    expect(asList('a')).toBeUndefined();
    expect(asList({ a: 1 })).toBeUndefined();
    expect(asList(null)).toBeUndefined();
  });
});

it('omitUndefined() removes undefined fields', () => {
  expect(Object.keys(omitUndefined<{ a?: number; b?: number }>({ a: undefined, b: 0 }))).toEqual([
    'b',
  ]);
});
