import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/domain/registration.ts';
import {
  asList,
  asObject,
  listOf,
  objectsOf,
  omitUndefined,
  readJson,
} from '../../../../src/sources/rdap/parser/json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => bytes('['.repeat(levels) + ']'.repeat(levels));

describe('the body of a registry', () => {
  it('is read as JSON', () => {
    expect(readJson(bytes('{"ldhName":"bücher.example"}'))).toEqual({ ldhName: 'bücher.example' });
  });

  it('may start with a byte order mark', () => {
    expect(readJson(bytes('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });

  it.each(['', ' ', '<html>', '{"a":1', '{"a":1}x', 'undefined'])(
    'is not JSON when it says %j',
    (text) => {
      expect(readJson(bytes(text))).toBeUndefined();
    },
  );

  it('is not JSON when its bytes are not UTF-8', () => {
    expect(readJson(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))).toBeUndefined();
  });

  it('may be 64 levels deep, and no deeper', () => {
    expect(readJson(nested(64))).toBeDefined();
    expect(readJson(nested(65))).toBeUndefined();
  });

  it.each(['[', '{"a":'])(
    'is refused, not a crash, when it nests %s a hundred thousand times',
    (open) => {
      const close = open === '[' ? ']' : '}';
      expect(readJson(bytes(open.repeat(100_000)))).toBeUndefined();
      expect(readJson(bytes(`${open.repeat(100_000)}1${close.repeat(100_000)}`))).toBeUndefined();
    },
  );

  it('may hold 50,000 values, and no more', () => {
    expect(readJson(bytes(JSON.stringify(Array(49_999).fill(0))))).toHaveLength(49_999);
    expect(readJson(bytes(JSON.stringify(Array(50_000).fill(0))))).toBeUndefined();
  });

  it('keeps a member named __proto__ as a member', () => {
    const json = asObject(readJson(bytes('{"__proto__":{"handle":"X"}}')));
    expect(json && Object.keys(json)).toEqual(['__proto__']);
    expect(json?.['handle']).toBeUndefined();
  });
});

describe('a list in an answer', () => {
  it.each<[string, Json | undefined, readonly Json[]]>([
    ['is read as it stands', ['a', 'b'], ['a', 'b']],
    ['may be an object with the keys 0, 1, 2', { 0: 'a', 1: 'b' }, ['a', 'b']],
    ['may be the one entry without a list around it', 'a', ['a']],
    ['may be an empty object, as PHP writes an empty list', {}, []],
    ['may be null', null, []],
    ['may be absent', undefined, []],
    ['may be one object', { a: 1 }, [{ a: 1 }]],
  ])('%s', (_title, sent, entries) => {
    expect(listOf(sent)).toEqual(entries);
  });

  it('is cut off where no honest list goes on', () => {
    expect(listOf(Array(10_000).fill(0))).toHaveLength(200);
    expect(listOf({ ...Array(10_000).fill(0) })).toHaveLength(200);
  });

  it('gives its objects and leaves out what is none', () => {
    expect(objectsOf([{ a: 1 }, null, 'x', 3, [{ b: 2 }]])).toEqual([{ a: 1 }]);
  });

  it('is not what a text or an object with names is', () => {
    expect([asList('a'), asList({ a: 1 }), asList(null)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it('a record has no field for an absent fact', () => {
  expect(Object.keys(omitUndefined<{ a?: number; b?: number }>({ a: undefined, b: 0 }))).toEqual([
    'b',
  ]);
});
