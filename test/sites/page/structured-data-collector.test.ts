import { describe, expect, it } from 'vitest';
import { StructuredDataCollector } from '../../../src/sites/page/json-ld.ts';

function read(...blocks: string[]) {
  const collector = new StructuredDataCollector();
  for (const block of blocks) collector.addJsonLd(block);
  const { types, items, parseErrors } = collector;
  return { types, items, parseErrors };
}

const store = { '@type': 'Store', name: 'A' };

describe('JSON-LD of a page', () => {
  it('may have lists in lists and graphs in graphs', () => {
    const lists = JSON.stringify([[store], [[{ '@type': 'Hotel' }]]]);
    expect(read(lists)).toEqual({
      types: ['Store', 'Hotel'],
      items: [store, { '@type': 'Hotel' }],
      parseErrors: 0,
    });
    const graphs = JSON.stringify({ '@graph': [{ '@graph': [{ '@graph': store }] }] });
    expect(read(graphs)).toEqual({ types: ['Store'], items: [store], parseErrors: 0 });
  });

  it('counts as an error where it is too long, too deep or not JSON', () => {
    const long = JSON.stringify({ ...store, description: 'x'.repeat(100_000) });
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    expect(read(long, deep, '{', JSON.stringify(store))).toEqual({
      types: ['Store'],
      items: [store],
      parseErrors: 3,
    });
  });

  it('is limited to 100,000 characters in all blocks', () => {
    const half = JSON.stringify({ ...store, description: 'x'.repeat(60_000) });
    expect(read(half, half)).toMatchObject({ items: [{ '@type': 'Store' }], parseErrors: 1 });
  });

  it.each(['email', 'telephone', 'faxNumber', 'https://schema.org/faxNumber', 'schema:faxnumber'])(
    'is read without contact data: %s',
    (member) => {
      expect(read(JSON.stringify({ ...store, [member]: '+1 23' })).items).toEqual([store]);
    },
  );
});
