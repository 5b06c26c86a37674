import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOf, generateKey, parseKey } from '../../src/accounts/api-key.ts';

const key = generateKey();

it('generates unique keys with a recognisable prefix and only letters and digits after it', () => {
  expect(key).toMatch(/^rgw_[0-9A-Za-z]{49}$/);
  expect(new Set(Array.from({ length: 1000 }, generateKey)).size).toBe(1000);
});

it('parses each generated key', () => {
  for (let count = 0; count < 1000; count++) {
    const generated = generateKey();
    expect(parseKey(generated)).toBe(generated);
  }
});

it('keeps accepting keys of earlier versions: the checksum is the CRC-32 in base 62', () => {
  const existing = 'rgw_examplekeyexamplekeyexamplekeyexamplekeyexa2D5wZH';
  expect(parseKey(existing)).toBe(existing);
});

it('rejects a key with one character mistyped, missing, doubled or swapped with its neighbour', () => {
  const characters = [...key];
  const typos = characters.flatMap((character, index) => [
    characters.with(index, character === 'x' ? 'y' : 'x'),
    characters.toSpliced(index, 1),
    characters.toSpliced(index, 0, character),
    characters.toSpliced(index, 2, characters[index + 1] ?? '', character),
  ]);
  const mistyped = typos.map((typo) => typo.join('')).filter((text) => text !== key);
  expect(mistyped.length).toBeGreaterThan(180);
  expect(mistyped.filter((text) => parseKey(text) !== undefined)).toEqual([]);
});

it.each([
  '',
  'rgw_',
  key.toUpperCase(),
  `${key}\n`,
  ` ${key}`,
  key.replace('rgw', 'RGW'),
  key.slice(4),
  `${key}${key}`,
])('rejects %j', (text) => {
  expect(parseKey(text)).toBeUndefined();
});

it('rejects random texts', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => parseKey(text) === undefined && parseKey(`rgw_${text}`) === undefined,
    ),
  );
});

it('hashes keys with SHA-256', () => {
  expect(hashOf(key)).toBe(createHash('sha256').update(key).digest('hex'));
});
