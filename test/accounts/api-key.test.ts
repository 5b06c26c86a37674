import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashOf, generateKey, parseKey } from '../../src/accounts/api-key.ts';

const key = generateKey();

it('a new key is recognisable, one word, and no other', () => {
  expect(key).toMatch(/^rgw_[0-9A-Za-z]{49}$/);
  expect(new Set(Array.from({ length: 1000 }, generateKey)).size).toBe(1000);
});

it('every new key reads as itself', () => {
  for (let count = 0; count < 1000; count++) {
    const made = generateKey();
    expect(parseKey(made)).toBe(made);
  }
});

it('keys outlive upgrades: the checksum is the CRC-32 in base 62', () => {
  const given = 'rgw_examplekeyexamplekeyexamplekeyexamplekeyexa2D5wZH';
  expect(parseKey(given)).toBe(given);
});

it('a key with one character mistyped, missing, doubled or swapped with its neighbour is refused', () => {
  const characters = [...key];
  const slips = characters.flatMap((character, index) => [
    characters.with(index, character === 'x' ? 'y' : 'x'),
    characters.toSpliced(index, 1),
    characters.toSpliced(index, 0, character),
    characters.toSpliced(index, 2, characters[index + 1] ?? '', character),
  ]);
  const mistyped = slips.map((slip) => slip.join('')).filter((text) => text !== key);
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
])('%j is no key', (text) => {
  expect(parseKey(text)).toBeUndefined();
});

it('no text at all is taken for a key by chance', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => parseKey(text) === undefined && parseKey(`rgw_${text}`) === undefined,
    ),
  );
});

it('the hash of a key is its SHA-256', () => {
  expect(hashOf(key)).toBe(createHash('sha256').update(key).digest('hex'));
});
