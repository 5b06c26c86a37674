import type { CommandOptions } from './command-line.ts';
import { exitCodeOf, type ExitCode } from './exit-codes.ts';
import { formatRecord } from './record.ts';
import { readMaxAge, readName } from './name-arguments.ts';
import { openLookups } from './open-lookups.ts';
import type { Surroundings } from './surroundings.ts';

/** Prints the record of a name. Rejects with `CommandError`. */
export async function whois(
  [name = '']: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const domain = readName(name);
  const maxAge = readMaxAge(options['max-age']);
  await using lookups = await openLookups(options, surroundings);
  const record = await lookups.record(domain, maxAge);
  console.log(options.json ? JSON.stringify(record, undefined, 2) : formatRecord(record));
  return exitCodeOf([record]);
}
