// Compares the gateway with its baselines, or with another commit: `npm run bench -- --help`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureAgainst, slowerRows } from './against.ts';
import { fullScale, quickScale, type Figure, type Scale } from './figures.ts';
import { saveFigures, readSavedFigures, tableOf } from './report.ts';
import { processorTimePicture } from './picture.ts';
import { cold } from './rows/cold.ts';
import { delegations } from './rows/delegations.ts';
import { graphql, many, record } from './rows/graphql.ts';
import { burstMemory, growthOfNames, growthOfNodes, growthOfStreams } from './rows/growth.ts';
import { overload } from './rows/overload.ts';
import { postgresCharge } from './rows/postgres-charge.ts';
import { queue } from './rows/queue.ts';
import { rivals } from './rows/rivals.ts';
import { bulk, rated, search } from './rows/search.ts';
import { start } from './rows/start.ts';
import { status } from './rows/status.ts';
import { stored } from './rows/stored.ts';
import { whoisRivals } from './rows/whois-rivals.ts';

/** Rows by the name that selects them; some print several lines. */
const rows: Readonly<Record<string, (scale: Scale) => Promise<readonly Figure[]>>> = {
  status,
  graphql,
  record,
  many,
  cold,
  search,
  rated,
  delegations,
  rivals,
  'whois-rivals': whoisRivals,
  bulk,
  start,
  stored,
  queue,
  'postgres-charge': postgresCharge,
  overload,
  'growth-names': growthOfNames,
  'growth-nodes': growthOfNodes,
  'growth-streams': growthOfStreams,
  'burst-memory': burstMemory,
};

const help = `Usage: npm run bench -- [ROW …] [--quick]
       npm run bench -- --against REVISION

Measures the gateway and its baselines in turn, and prints ratios with their spread.

  ROW                 measure these rows alone: ${Object.keys(rows).join(', ')}
  --quick             fewer and shorter rounds, a small store; results are not saved
  --against REVISION  measure the working tree and another commit in turn: processor time per request
                      and per name. Exits with code 1 if a row takes more than 1.6 times as long in
                      each of three rounds. Takes about 40 seconds, on Linux
  --picture FILE      draw the processor times of this run as an SVG, as in the docs
  --help              print this text`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    against: { type: 'string' },
    picture: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit();
}
const unknown = positionals.filter((name) => !(name in rows));
if (unknown.length > 0) {
  console.error(`Unknown row ${unknown.join(', ')}. Rows: ${Object.keys(rows).join(', ')}.`);
  process.exit(2);
}
if (values.against !== undefined) {
  await compareWith(values.against);
  process.exit();
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
if (values.picture !== undefined) writeFileSync(values.picture, processorTimePicture(figures));

async function compareWith(revision: string): Promise<void> {
  const ratios = await measureAgainst(revision);
  if ('reason' in ratios) {
    console.log(`Skipped: ${ratios.reason}`);
    return;
  }
  console.log(`The working tree (gateway) and ${revision} (baseline):`);
  console.log(tableOf(ratios, {}));
  for (const { what, ratio } of slowerRows(ratios)) {
    console.error(`${what}: at least ${ratio.min.toFixed(2)} times as long in every round.`);
    process.exitCode = 1;
  }
}
