// Writes what is known about TLDs before their registries are asked:
//
//   npm run policies -- --agreements FILE   brand TLDs, from the CSV of https://www.icann.org/en/registry-agreements
//   npm run policies -- --sale FILE --letters FILE --launch FILE   who sells names, which letters a registry takes,
//                                                                   and when a new TLD opens
//   npm run policies -- --life-cycle FILE   what happens after the expiry of a name
//
// These JSON files have `collected`, the date of the facts, and `tlds`, by A-label:
//   sale: `sale` (OPEN, ON_SALE, NOT_SOLD …), `sellers`; letters: `status` (accepted, none, unknown), `scripts` (ISO 15924),
//   `letters`, `source`, `confidence`, `emoji`; launch: `state`, `delegated`, `sunrise`, `earlyAccess`,
//   `generalAvailability`, `source`; life cycle: see `scripts/life-cycles.ts`.
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import policies from '../src/registries/directory/policies.json' with { type: 'json' };
import tldTable from '../src/registries/directory/tld-table.json' with { type: 'json' };
import { lifeCyclesIn, type Facts } from './life-cycles.ts';
import { wrap } from './wrap.ts';

const sourceNames: Readonly<Record<string, string>> = {
  zonedb: 'ZoneDB',
  dynadot: 'Dynadot',
  route53: 'Amazon Route 53',
  'gandi-afnic': 'Gandi',
  'nic-ch': 'an old page of the registry',
  'hostcontrol-dk': 'Hostcontrol',
};

const agreements = 'https://www.icann.org/resources/registries/gtlds/v2/gtlds.json';

const { values: files } = parseArgs({
  options: {
    agreements: { type: 'string' },
    sale: { type: 'string' },
    letters: { type: 'string' },
    launch: { type: 'string' },
    'life-cycle': { type: 'string' },
  },
});

if (files.agreements !== undefined) {
  const brand = brandsIn(await readFile(files.agreements, 'utf8'));
  await write('policies.json', { ...policies, brand: wrap(brand) });
  console.log(`${brand.length} brand TLDs`);
} else if (files.sale && files.letters && files.launch) {
  const [sale, letters, launch] = await Promise.all([
    readFacts(files.sale),
    readFacts(files.letters),
    readFacts(files.launch),
  ]);
  const facts = {
    date: sale.collected,
    ...saleIn(sale.tlds),
    ...lettersIn(letters.tlds),
    launch: launchIn(launch.tlds),
  };
  await write('tld-facts.json', facts);
  console.log(`Facts of ${facts.date} about ${Object.keys(sale.tlds).length} TLDs`);
} else if (files['life-cycle'] !== undefined) {
  const { collected, tlds, sources } = await readFacts(files['life-cycle']);
  const cycles = lifeCyclesIn(tlds, sources);
  await write('lifecycles.json', { date: collected, cycles });
  console.log(`Life cycles of ${collected}`);
} else throw new Error('Pass --agreements, --life-cycle, or --sale, --letters and --launch.');

/** Returns the TLDs with an active agreement that contains Specification 13. */
function brandsIn(csv: string): readonly string[] {
  const [header, ...lines] = csv.trim().split('\n');
  if (!header?.startsWith('"Top Level Domain"')) throw new Error('The CSV has other columns.');

  const tlds = lines
    .filter((line) => line.includes('Brand (Spec 13)') && line.includes(',"active",'))
    .flatMap((line) => /^"([a-z0-9-]+)"/.exec(line)?.[1] ?? []);
  if (tlds.length < 100) throw new Error(`The CSV has only ${tlds.length} brand TLDs.`);

  return tlds.toSorted();
}

async function readFacts(
  file: string,
): Promise<{ collected: string; tlds: Facts; sources: Facts }> {
  const { collected, tlds, sources } = JSON.parse(await readFile(file, 'utf8'));
  if (typeof collected !== 'string' || typeof tlds !== 'object')
    throw new Error(`${file} has no collected and tlds.`);

  const listed = new Set(tldTable.labels.flatMap((line) => line.split(' ')));
  const known = Object.entries(tlds).filter(([tld]) => listed.has(tld));
  return { collected, tlds: Object.fromEntries(known), sources };
}

function saleIn(tlds: Facts) {
  const withSale = (wanted: string) =>
    wrap(Object.keys(tlds).filter((tld) => tlds[tld].sale === wanted));
  const sellersOf = (tld: string): number => tlds[tld].sellers?.length ?? 0;
  const sold = Object.keys(tlds).filter((tld) => sellersOf(tld) > 0);

  return {
    open: withSale('OPEN'),
    onSale: withSale('ON_SALE'),
    notSold: withSale('NOT_SOLD'),
    sellers: Object.entries(Object.groupBy(sold, sellersOf))
      .toReversed()
      .map(([count, members = []]) => ({ count: Number(count), tlds: wrap(members) })),
  };
}

/**
 * Groups the TLDs whose letters are known. Facts count as the registry's own if they come from its
 * tables, which ZoneDB links. That there are none counts if a second source or the agreement of a
 * generic TLD says so, and otherwise names its source.
 */
function lettersIn(tlds: Facts) {
  const groups = new Map<string, string[]>();
  for (const [tld, { status, scripts = [], letters, ...fact }] of Object.entries(tlds)) {
    const { source, confidence } = fact;
    const hasTables = status === 'accepted' && scripts?.length > 0;
    if (!hasTables && status !== 'none') continue;

    const only = /^\p{L}+$/u.test(letters ?? '') ? letters : undefined;
    // Exact letters are stated by others than the registry.
    const isOwn = source.includes('zonedb') && confidence !== 'low' && only === undefined;
    const names = source.map((code: string) => sourceNames[code] ?? 'others').join(', ');
    const group = {
      scripts: scripts.join(' '),
      only,
      source: isOwn ? undefined : names,
    };
    const key = JSON.stringify(group);

    groups.set(key, [...(groups.get(key) ?? []), tld]);
  }

  const emoji = Object.keys(tlds).filter((tld) => tlds[tld].emoji === true);
  return {
    letters: Array.from(groups, ([key, members]) => ({ ...JSON.parse(key), tlds: wrap(members) })),
    emoji: emoji.join(' '),
  };
}

/** Returns the dates of the TLDs that are delegated, and not known to be open or never to open. */
function launchIn(tlds: Facts) {
  const dated = ['sunrise', 'earlyAccess', 'generalAvailability'];
  const pending = Object.entries(tlds).filter(
    ([, { state, generalAvailability: opened }]) =>
      String(state).startsWith('delegated') && !/not sold/.test(state) && opened === null,
  );

  return Object.fromEntries(
    pending.map(([tld, fact]) => [
      tld,
      {
        source: agreements,
        ...Object.fromEntries(dated.flatMap((key) => (fact[key] ? [[key, fact[key]]] : []))),
      },
    ]),
  );
}

async function write(name: string, value: unknown): Promise<void> {
  await writeFile(
    new URL(`../src/registries/directory/${name}`, import.meta.url),
    await format(JSON.stringify(value), { parser: 'json', printWidth: 100 }),
  );
}
