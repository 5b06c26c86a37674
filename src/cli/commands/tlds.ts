import { readSets } from '../../app/settings.ts';
import { toUnicodeName } from '../../domain/names/domain-name.ts';
import { printableJson } from '../../shared/printable.ts';
import { tldCsv } from '../../shared/csv.ts';
import { usageError } from '../command-error.ts';
import type { CommandOptions } from '../command-table.ts';
import { formatTable } from '../output/format-table.ts';
import { asUsageError } from '../local-settings.ts';
import type { Lookups } from '../lookups.ts';
import { readTlds } from '../name-arguments.ts';
import { openLookups } from '../open-lookups.ts';
import { printCsv } from '../output/print-row.ts';
import type { TldRow } from '../output/records.ts';
import { printLine, type Surroundings } from '../surroundings.ts';

/** Lists TLDs. Rejects with `CommandError`. */
export async function tlds(
  args: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<0> {
  await using lookups = await openLookups(options, surroundings);
  const all = await lookups.tlds();
  const wanted = new Set(args.length > 0 ? await expandTlds(args, lookups, surroundings) : []);
  const rows = args.length > 0 ? all.filter(({ tld }) => wanted.delete(tld)) : all;

  if (wanted.size > 0)
    throw usageError(`TLD: names under ${[...wanted].join(', ')} cannot be looked up.`);

  const { stdout } = surroundings.streams;
  if (options.csv) printCsv(stdout, tldCsv(rows));
  else if (options.json || !stdout.isTTY)
    for (const row of rows) printLine(stdout, printableJson(row));
  else printLine(stdout, formatTable(heads, rows.map(cellsOf)));

  return 0;
}

const heads = ['TLD', 'SOURCES', 'PROVES AVAILABLE', 'POLICY', 'PUBLISHES'];

function cellsOf({ tld, sources, proves_available, policy, publishes }: TldRow): string[] {
  return [
    `.${toUnicodeName(tld)}`,
    sources.map(({ source }) => source).join(', '),
    proves_available ? 'yes' : 'no',
    policy,
    Object.keys(publishes)
      .filter((field) => publishes[field] === true)
      .join(', '),
  ];
}

/**
 * Resolves to the TLDs of lists, with the sets of `SETS_FILE`, and those of `@all`: in all of them,
 * somebody may register names. Rejects with `CommandError`.
 */
export async function expandTlds(
  lists: readonly string[],
  lookups: Lookups,
  { environment }: Surroundings,
): Promise<readonly string[]> {
  const sets = await readSets(environment['SETS_FILE']).catch((error: unknown) => {
    throw asUsageError(error);
  });
  return readTlds(lists, sets, async () => {
    const all = await lookups.tlds();
    return all.filter(({ policy }) => !['brand', 'closed'].includes(policy)).map(({ tld }) => tld);
  });
}
