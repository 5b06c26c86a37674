import { expect, it } from 'vitest';
import { baseSchema, schema } from '../../src/app/schema.ts';
import { unlimitedWork, workMs } from '../../src/accounts/work-limit.ts';
import { Execution, type ExecutionOptions } from '../../src/execution/execution.ts';

const schemas = { base: baseSchema, full: schema };

const numbered = (index: number, length: number) =>
  `{ domain(name: "${index}${'x'.repeat(length)}") { id } }`;

/**
 * Reads documents, and `used` after each of them. Returns how many of the documents are cached at
 * the end.
 */
function cachedOf(sources: readonly string[], used: string): number {
  const execution = new Execution({ schemas, allowIntrospection: true } as ExecutionOptions);
  let parsed = 0;
  const work = { ...unlimitedWork, spend: () => void (parsed += 1) };
  const read = (source: string) => execution.prepare(source, { work });
  read(used);
  for (const source of sources) {
    read(source);
    read(used);
  }
  expect(parsed).toBe(sources.length + 1);
  parsed = 0;
  for (const source of sources.toReversed()) read(source);
  return sources.length - parsed;
}

it('caches documents of at most 300,000 characters in total, and retains those in use', () => {
  const cached = cachedOf(
    Array.from({ length: 100 }, (_, index) => numbered(index, 8000)),
    '{ account { name } }',
  );
  expect(cached).toBeGreaterThan(15);
  expect(cached * 8000).toBeLessThanOrEqual(300_000);
});

it('caches at most 500 documents, and none of more than 8,192 characters', () => {
  const sources = Array.from({ length: 600 }, (_, index) => numbered(index, 1));
  expect(cachedOf(sources, '{ account { name } }')).toBeLessThan(500);
  expect(cachedOf([numbered(1, 8200)], '{ account { name } }')).toBe(0);
});

it('counts the work of each validation, also if the same document was rejected before', () => {
  const execution = new Execution({ schemas, allowIntrospection: true } as ExecutionOptions);
  let spent = 0;
  const work = { ...unlimitedWork, spend: (ms: number) => void (spent += ms) };
  const send = (text: string) => execution.prepare(text, { work });
  for (const sent of [1, 2]) {
    expect(() => send('{ nothing }')).toThrow('Cannot query field');
    expect(spent).toBe(sent * workMs.tokens(3));
  }
  send('{ account { name } }');
  const once = spent;
  send('{ account { name } }');
  expect(spent).toBe(once);
});
