import { array, assert, oneof, property, string, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSameName,
  parseDomainName,
  toUnicodeName,
  type DomainName,
} from '../../../src/domain/names/domain-name.ts';

describe('arbitrary input', () => {
  const scalar = oneof(
    string({ unit: 'binary', maxLength: 40 }),
    stringMatching(/^[a-zA-Z0-9._-]{1,80}$/),
    stringMatching(/^(?:xn--[a-z0-9-]{1,20}\.){1,3}test$/),
    array(string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 5 }).map((labels) =>
      labels.join('.'),
    ),
  );

  it('is rejected, or is parsed to an LDH name of at most 253 characters that parses to itself', () => {
    assert(
      property(scalar, (input) => {
        const name = parsedOrUndefined(input);
        if (name === undefined) return;
        expect(name).toMatch(
          /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
        );
        expect(name.length).toBeLessThanOrEqual(253);
        expect(parseDomainName(name)).toBe(name);
      }),
      { numRuns: 3000 },
    );
  });

  it('is recognized in its Unicode form', () => {
    assert(
      property(scalar, (input) => {
        const name = parsedOrUndefined(input);
        if (name !== undefined) expect(isSameName(toUnicodeName(name), name)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

function parsedOrUndefined(input: string): DomainName | undefined {
  try {
    return parseDomainName(input);
  } catch {
    return undefined;
  }
}
