import { hostOf } from '../../domain/text/typed-text.js';
import { printable } from '../../shared/printable.ts';
import { CommandError, usageError, exitCodes, type ExitCode } from '../command-error.ts';
import type { CommandOptions } from '../command-table.ts';
import type { Lookups } from '../lookups.ts';
import { readEntries, readNames } from '../name-arguments.ts';
import { openGateway } from '../open-lookups.ts';
import { printChange, printRow } from '../output/print-row.ts';
import type { ChangePage } from '../output/records.ts';
import { printLine, type Output, type Surroundings } from '../surroundings.ts';

/** Watches names at a gateway, or looks at them once. Rejects with `CommandError`. */
export async function watch(
  args: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { once, state, server, key } = options;
  if (once ? state === undefined : state !== undefined)
    throw usageError('Use --once and --state FILE together.');
  if (state !== undefined && (server ?? key) !== undefined)
    throw usageError('Use either --once or --server, not both.');

  const names = await readHosts(args, options, surroundings);
  if (state !== undefined)
    return (await import('./watch-once.ts')).watchOnce(names, state, options, surroundings);

  await using gateway = openGateway(options);
  const rows = await gateway.watch(names);
  for (const row of rows) {
    const { domain, problem } = row;
    const what = problem ? `${problem.detail} (${problem.code})` : 'is watched';
    printRow(options, surroundings.streams.stdout, row, `${domain}  ${what}`);
  }

  return rows.some(({ problem }) => problem) ? exitCodes.unknown : 0;
}

/** Ends watches at a gateway, and prints a row for each name. Rejects with `CommandError`. */
export async function unwatch(
  args: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const names = await readHosts(args, options, surroundings);
  await using gateway = openGateway(options);
  let exitCode: ExitCode = 0;
  for (const domain of names) {
    const problem = await gateway.unwatch(domain);
    if (problem) exitCode = exitCodes.unknown;
    const what = problem ? `${problem.detail} (${problem.code})` : 'is no longer watched';
    const row = { domain, problem: problem ?? null };
    printRow(options, surroundings.streams.stdout, row, `${domain}  ${what}`);
  }

  return exitCode;
}

/** Prints the changes at a gateway, and with `--follow` those that follow. Rejects with `CommandError`. */
export async function changes(
  options: CommandOptions,
  { streams: { stdout, stderr } }: Surroundings,
): Promise<0> {
  await using gateway = openGateway(options);
  let page = await gateway.changes(options.after);
  let after = options.after;
  for (;;) {
    for (const change of page.changes) printChange(options, stdout, change);
    after = page.next ?? after;
    if (!page.has_more && !options.follow) return 0;
    if (!page.has_more) await pause();
    page = await nextPage(gateway, after, stderr);
  }
}

/** Reads a page until the gateway answers: it may be restarted, and the cursor stays valid. */
async function nextPage(
  gateway: Lookups,
  after: string | undefined,
  stderr: Output,
): Promise<ChangePage> {
  for (let message; ; await pause()) {
    try {
      return await gateway.changes(after);
    } catch (error) {
      if (!(error instanceof CommandError && error.exitCode === exitCodes.unknown)) throw error;
      if (error.message !== message) printLine(stderr, printable(error.message));
      ({ message } = error);
    }
  }
}

/** How often changes are read. */
const pauseMs = 2000;

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, pauseMs));
}

/** Returns the names of the arguments and of --file, of URLs and e-mail addresses their hosts. */
async function readHosts(
  args: readonly string[],
  { file }: CommandOptions,
  { streams }: Surroundings,
): Promise<readonly string[]> {
  return readNames(await readEntries(args, file, streams), undefined, {}).map((name) =>
    hostOf(name),
  );
}
