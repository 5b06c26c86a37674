import { expect } from 'vitest';

/** Parses CSV (RFC 4180) with a header. Returns an object of texts for each line. */
export function parseCsv(text: string): Record<string, string>[] {
  expect(text.endsWith('\r\n')).toBe(true);
  const lines = text.slice(0, -2).split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const [header = [], ...rows] = lines.map(cellsOf);
  return rows.map((cells) => {
    expect(cells).toHaveLength(header.length);
    return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']));
  });
}

function cellsOf(line: string): readonly string[] {
  const cells = `,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g);
  return Array.from(cells, ([, quoted, bare = '']) => quoted?.replaceAll('""', '"') ?? bare);
}
