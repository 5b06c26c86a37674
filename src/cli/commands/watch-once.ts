import { exitCodes, type ExitCode } from '../command-error.ts';
import * as v from 'valibot';
import { openEmbedded } from '../../app/embedded.ts';
import { systemClock } from '../../clock.ts';
import { parseEntry } from '../../domain/names/parsed-name.ts';
import { createLog } from '../../log.ts';
import { printable } from '../../shared/printable.ts';
import type { CommandOptions } from '../command-table.ts';
import { openLocally } from '../local-settings.ts';
import { printChange } from '../output/print-row.ts';
import { changeShape } from '../output/records.ts';
import { StateFile } from './state-file.ts';
import { printLine, type Surroundings } from '../surroundings.ts';

/**
 * Looks at names, prints what has changed since the last run, and keeps the state in a file. Resolves to
 * 2 if a name has no verdict, or else to 1 if there are changes. Rejects with `CommandError`.
 */
export async function watchOnce(
  entries: readonly string[],
  path: string,
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { streams, clock = systemClock } = surroundings;
  using file = new StateFile(path);
  const parsed = entries.map(parseEntry);
  const names = new Set(parsed.flatMap((each) => ('problem' in each ? [] : [each.domain])));
  const log = createLog('silent');
  await using embedded = await openLocally(surroundings, (config) =>
    openEmbedded(config, { clock, log }),
  );
  const looks = await embedded.lookOnce([...names], file.states);

  const changes = looks.flatMap((look) => look.changes);
  for (const change of changes) printChange(options, streams.stdout, v.parse(changeShape, change));
  const failed = [...parsed, ...looks].flatMap((each) =>
    'problem' in each && each.problem ? [{ domain: each.domain, problem: each.problem }] : [],
  );

  for (const { domain, problem } of failed)
    printLine(streams.stderr, printable(`${domain}: ${problem.message} (${problem.code})`));
  const seen = Object.fromEntries(looks.map((look) => [look.domain, look.state]));
  file.write({ ...file.states, ...seen });
  if (failed.length > 0) return exitCodes.unknown;

  return changes.length > 0 ? 1 : 0;
}
