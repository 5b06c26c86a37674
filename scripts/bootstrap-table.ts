// Writes the built-in bootstrap table and the built-in list of TLDs, which are used if IANA's
// documents are unavailable: `npm run bootstrap` (from IANA) or `npm run bootstrap -- FILE TLDS`.
import { readFile, writeFile } from 'node:fs/promises';
import { readBootstrap } from '../src/directory/bootstrap-parser.ts';
import { parseTldList, tldListUrl } from '../src/directory/tld-list.ts';

const bootstrapUrl = 'https://data.iana.org/rdap/dns.json';
const maxLineLength = 100;

const [bootstrapFile, tldsFile] = process.argv.slice(2);
await writeBootstrapTable(JSON.parse(await read(bootstrapFile, bootstrapUrl)));
await writeTldTable(await read(tldsFile, tldListUrl(bootstrapUrl)));

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
  await writeFile(new URL('../src/directory/bootstrap-table.json', import.meta.url), table);
  console.log(`${services.length} servers, published ${String(publication)}`);
}

async function writeTldTable(list: string): Promise<void> {
  const [, version = 'unknown'] = /^# Version (\d+)/.exec(list) ?? [];
  const labels = Array.from(parseTldList(list)).toSorted();
  const table = `/** IANA's list of TLDs, version ${version}. Written by \`npm run bootstrap\`. */
export const builtInTlds: ReadonlySet<string> = new Set(
  \`
${wrap(labels).join('\n')}
\`
    .trim()
    .split(/\\s+/),
);
`;
  await writeFile(new URL('../src/directory/tld-table.ts', import.meta.url), table);
  console.log(`${labels.length} TLDs, version ${version}`);
}

function wrap(words: readonly string[]): readonly string[] {
  return words.reduce<string[]>((lines, word) => {
    const last = lines.at(-1) ?? '';
    const isFull = last.length + word.length + 1 > maxLineLength;
    return lines.length === 0 || isFull
      ? [...lines, `  ${word}`]
      : [...lines.slice(0, -1), `${last} ${word}`];
  }, []);
}
