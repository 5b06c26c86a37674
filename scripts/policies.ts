// Writes the brand TLDs of `src/registries/directory/policies.json`: `npm run policies -- FILE`, with the table of
// registry agreements that https://www.icann.org/en/registry-agreements offers as CSV.
import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { wrap } from './wrap.ts';
import policies from '../src/registries/directory/policies.json' with { type: 'json' };

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Pass the CSV file of registry agreements.');
const brand = brandsIn(await readFile(file, 'utf8'));
const json = JSON.stringify({ ...policies, brand: wrap(brand) });
await writeFile(
  new URL('../src/registries/directory/policies.json', import.meta.url),
  await format(json, { parser: 'json', printWidth: 100 }),
);
console.log(`${brand.length} brand TLDs`);

/** Returns the TLDs with an active agreement that contains Specification 13. */
function brandsIn(csv: string): readonly string[] {
  const [header, ...lines] = csv.trim().split('\n');
  if (!header?.startsWith('"Top Level Domain"')) throw new Error(`${file} has other columns.`);
  const tlds = lines
    .filter((line) => line.includes('Brand (Spec 13)') && line.includes(',"active",'))
    .flatMap((line) => /^"([a-z0-9-]+)"/.exec(line)?.[1] ?? []);
  if (tlds.length < 100) throw new Error(`${file} has only ${tlds.length} brand TLDs.`);
  return tlds.toSorted();
}
