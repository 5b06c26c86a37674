// Compares the gateway with its baselines: `npm run bench -- [row …] [--quick]`.
import { parseArgs } from 'node:util';
import { fullScale, quickScale, type Figure, type Scale } from './figures.ts';
import { saveFigures, readSavedFigures, tableOf } from './report.ts';
import { delegations } from './rows/delegations.ts';
import { graphql, many, record } from './rows/graphql.ts';
import { overload } from './rows/overload.ts';
import { rivals } from './rows/rivals.ts';
import { bulk, rated, search } from './rows/search.ts';
import { start } from './rows/start.ts';
import { status } from './rows/status.ts';
import { stored } from './rows/stored.ts';

/** Rows by the name that selects them; some print several lines. */
const rows: Readonly<Record<string, (scale: Scale) => Promise<readonly Figure[]>>> = {
  status,
  graphql,
  record,
  many,
  search,
  rated,
  delegations,
  rivals,
  bulk,
  start,
  stored,
  overload,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !(name in rows));
if (unknown.length > 0) {
  console.error(`Unknown row ${unknown.join(', ')}. Rows: ${Object.keys(rows).join(', ')}.`);
  process.exit(2);
}
const saved = readSavedFigures();
const figures: Figure[] = [];
for (const [name, run] of Object.entries(rows)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`${name} …`);
  try {
    figures.push(...(await run(values.quick ? quickScale : fullScale)));
  } catch (error) {
    // The other rows are still measured.
    console.error(error);
    process.exitCode = 1;
  }
}
console.log(tableOf(figures, saved));
// Quick results are not precise enough to compare with.
if (!values.quick) saveFigures(figures, saved);
