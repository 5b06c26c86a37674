import { expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { createDocuments } from '../../src/http/documents.ts';

it('documents of at most 300,000 characters in all are remembered, and one that is used stays', () => {
  const documents = createDocuments(schema, true);
  const used = '{ account { name } }';
  const sources = Array.from({ length: 100 }, (_, index) => `{ domain(name: "${index}${'x'.repeat(8000)}") { id } }`);
  const first = documents.parse(used);
  for (const source of sources) {
    documents.parse(source);
    expect(documents.known(used)).toBe(first);
  }
  const remembered = sources.toReversed().filter((source) => documents.known(source));
  expect(remembered).toEqual(sources.toReversed().slice(0, remembered.length));
  expect(remembered.length).toBeGreaterThan(15);
  expect(remembered.length * 8000).toBeLessThanOrEqual(300_000);
});
