// Writes the built-in bootstrap table, which is used if IANA's document is unavailable: `npm run
// bootstrap` (from IANA) or `npm run bootstrap -- FILE`.
import { readFile, writeFile } from 'node:fs/promises';
import { readBootstrap } from '../src/directory/bootstrap-parser.ts';

const [file] = process.argv.slice(2);
const document: unknown = file
  ? JSON.parse(await readFile(file, 'utf8'))
  : await (await fetch('https://data.iana.org/rdap/dns.json')).json();

const entriesByUrls = new Map<string, string[]>();
for (const [entry, { baseUrls }] of readBootstrap(document)) {
  const key = baseUrls.join(' ');
  entriesByUrls.set(key, [...(entriesByUrls.get(key) ?? []), entry]);
}
const services = Array.from(
  entriesByUrls,
  ([urls, entries]) => [entries.toSorted(), urls.split(' ')] as const,
)
  .toSorted(([, [a = '']], [, [b = '']]) => a.localeCompare(b, 'en'))
  .map((service) => `    ${JSON.stringify(service)}`);
const publication = (document as { publication?: unknown }).publication;
const table = `{\n  "version": "1.0",\n  "publication": ${JSON.stringify(publication)},\n  "services": [\n${services.join(',\n')}\n  ]\n}\n`;
await writeFile(new URL('../src/directory/bootstrap-table.json', import.meta.url), table);
console.log(`${services.length} servers, published ${String(publication)}`);
