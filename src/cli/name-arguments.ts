import { parseLabel, parseSuffix, rawInputOf } from '../domain/domain-name.ts';
import { parseEntry, splitEntry } from '../domain/parsed-name.ts';
import { Problem } from '../domain/problems.ts';
import { confirmNamed, confirmNames, type Confirm } from '../domain/source.ts';
import { expandTldSet } from '../domain/tld-sets.ts';
import { usageError } from './command-error.ts';

/**
 * Returns the full names to look up: the arguments, or each of them under the TLDs of `--tlds`. A
 * single name must be valid; in a list, an invalid name has a row of its own. Throws
 * `CommandError`.
 */
export function readNames(
  args: readonly string[],
  tldLists: readonly string[] | undefined,
): readonly string[] {
  if (!tldLists) {
    const [name, ...others] = args;
    if (name !== undefined && others.length === 0) readName(name);
    return args;
  }
  const tlds = tldLists.flatMap((list) => list.split(',')).flatMap(readTld);
  for (const label of args) readArgument('NAME with --tlds', () => parseLabel(label));
  return [...new Set(args.flatMap((label) => tlds.map((tld) => rawInputOf(label, tld))))];
}

/** Returns a full name as typed. Throws `CommandError`. */
export function readName(name: string): string {
  const parsed = parseEntry(name);
  if (!('problem' in parsed)) return name;
  const hint = splitEntry(name).suffix === '' ? ' Add a TLD, or use --tlds.' : '';
  throw usageError(`NAME: ${parsed.problem.message}${hint}`);
}

function readTld(entry: string): readonly string[] {
  return readArgument('--tlds', () => expandTldSet(entry).map(parseSuffix));
}

/** Names the argument at fault in the error of `parse`. */
function readArgument<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof Problem ? usageError(`${name}: ${error.message}`) : error;
  }
}

/** Returns which verdicts the registry must confirm. Throws `CommandError`. */
export function readConfirm(text: string | undefined): Confirm {
  if (text === undefined) return 'ALL';
  const confirm = confirmNamed(text);
  if (!confirm)
    throw usageError(
      `--confirm must be ${confirmNames.join(' or ')}; got ${JSON.stringify(text)}.`,
    );
  return confirm;
}

// Answers are stored for 30 days at most.
const maxAgeSeconds = 2_592_000;

/** Returns the maximum age in seconds; undefined without one. Throws `CommandError`. */
export function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw usageError(
      `--max-age must be a whole number of seconds, 0 or more; got ${JSON.stringify(text)}.`,
    );
  return Math.min(Number(text), maxAgeSeconds);
}
