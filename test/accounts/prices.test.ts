import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { priceOf, type PricedField } from '../../src/execution/charging/prices.ts';
import { parseEntry, type ParsedName } from '../../src/domain/names/parsed-name.ts';
import { details } from '../../src/domain/source.ts';

/** Names without a registry, or of the sandbox. */
const isFree = (name: string) => /\.(?:test|nowhere)$/.test(name);

it('the price of an operation never exceeds the requested credits, is 0 without verdicts, and does not change if every field is repeated', () => {
  fc.assert(
    fc.property(
      fc.array(field, { maxLength: 6 }),
      fc.func(fc.boolean()),
      fc.func(fc.boolean()),
      (fields, some, more) => {
        const { requested, charged } = priceOf(fields, isFree);
        expect(charged(some)).toBeLessThanOrEqual(charged((name) => some(name) || more(name)));
        expect(charged(() => true)).toBe(requested);
        expect(charged(() => false)).toBe(0);
        expect(priceOf([...fields, ...fields], isFree).requested).toBe(requested);
      },
    ),
    { numRuns: 500 },
  );
});

const parsedName = fc
  .constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  .map((label): ParsedName => parseEntry(`${label}.example`));
const field: fc.Arbitrary<PricedField> = fc.record({
  names: fc.uniqueArray(parsedName, { minLength: 1, selector: ({ domain }) => domain }),
  detail: fc.constantFrom(...details),
  priority: fc.constantFrom('search' as const, 'bulk' as const),
});
