import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prices, priceTexts } from '../../src/execution/charging/prices.ts';
import { siteLookups } from '../../src/sites/features.ts';

const folder = new URL('../../docs/', import.meta.url);
const documents = readdirSync(folder).filter((file) => file.endsWith('.md'));

/** Returns the cells of the table rows in a document whose first cell is code, by that cell. */
function rowsOf(file: string): Readonly<Record<string, readonly string[]>> {
  const rows = Array.from(read(file).matchAll(/^\| `(\w+)` +\|(.*)\|$/gm));
  return Object.fromEntries(
    rows.map(([, name = '', cells = '']) => [name, cells.split('|').map((cell) => cell.trim())]),
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

it('states the prices of the MCP tools', () => {
  const rows = rowsOf('mcp.md');
  expect(rows['check_domains']?.[1]).toBe(
    `${priceTexts.search}; for \`names\` and \`text\`: ${priceTexts.list}`,
  );
  expect(rows['lookup_domain']?.[1]).toBe(`${prices.record(1)}`);
});

it('states the price of each site lookup', () => {
  const rows = rowsOf('site-lookups.md');
  for (const { name, price } of siteLookups)
    expect([name, rows[name]?.[1]]).toEqual([name, `${price}`]);
});

it.each(documents)('states no other price, which could differ from the table: %s', (file) => {
  expect(read(file)).not.toMatch(/costs?\s[^.|]*?\b(?:\d+|half a) credits?\b/);
});
