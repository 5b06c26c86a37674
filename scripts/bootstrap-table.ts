// Writes the built-in bootstrap tables and the built-in list of TLDs, which are used if IANA's
// documents are unavailable: `npm run bootstrap` (from IANA), `npm run bootstrap -- FILE TLDS`, or
// `npm run bootstrap -- --objects FOLDER` for the tables of IP networks, AS numbers and object tags
// from files with IANA's names.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { readBootstrap } from '../src/registries/directory/bootstrap-parser.ts';
import { objectDocuments } from '../src/registries/directory/object-bootstraps.ts';
import { parseTldList, tldListUrl } from '../src/registries/directory/tld-list.ts';
import { wrap } from './wrap.ts';

const bootstrapUrl = 'https://data.iana.org/rdap/dns.json';

const [first, second] = process.argv.slice(2);
if (first !== '--objects') {
  await writeBootstrapTable(JSON.parse(await read(first, bootstrapUrl)));
  await writeTldTable(await read(second, tldListUrl(bootstrapUrl)));
}
if (first === '--objects' || first === undefined) await writeObjectTables(second);

async function read(file: string | undefined, url = ''): Promise<string> {
  if (file !== undefined) return readFile(file, 'utf8');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  return response.text();
}

async function writeBootstrapTable(document: unknown): Promise<void> {
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

  await writeFile(
    new URL('../src/registries/directory/bootstrap-table.json', import.meta.url),
    table,
  );
  console.log(`${services.length} servers, published ${String(publication)}`);
}

async function writeObjectTables(folder: string | undefined): Promise<void> {
  const tables: Record<string, object> = {};
  for (const [name, { file, read: parse }] of Object.entries(objectDocuments)) {
    const path = folder === undefined ? undefined : join(folder, file);
    const document = JSON.parse(await read(path, new URL(file, bootstrapUrl).href));
    const entriesByUrls = Map.groupBy(parse(document), ([, { baseUrls }]) => baseUrls.join(' '));
    const services = Object.fromEntries(
      Array.from(entriesByUrls, ([urls, entries]) => [urls, wrap(entries.map(([entry]) => entry))]),
    );
    const { publication = null } = document as { publication?: unknown };
    tables[name] = { publication, services };
    console.log(`${file}: ${entriesByUrls.size} servers`);
  }

  await writeJson('object-tables.json', tables);
}

async function writeTldTable(list: string): Promise<void> {
  const [, version = 'unknown'] = /^# Version (\d+)/.exec(list) ?? [];
  const labels = Array.from(parseTldList(list)).toSorted();
  await writeJson('tld-table.json', { version, labels: wrap(labels) });
  console.log(`${labels.length} TLDs, version ${version}`);
}

/** Writes a table as Prettier formats it. */
async function writeJson(file: string, table: object): Promise<void> {
  const text = await format(JSON.stringify(table), { parser: 'json', printWidth: 100 });
  await writeFile(new URL(`../src/registries/directory/${file}`, import.meta.url), text);
}
