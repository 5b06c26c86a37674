import { readFileSync } from 'node:fs';
import { parseLabel, parseSuffix, rawInputOf } from '../domain/names/domain-name.ts';
import { detectObjectType } from '../domain/object-ref.ts';
import { parseEntry } from '../domain/names/parsed-name.ts';
import { Problem } from '../domain/problems.ts';
import { confirmNamed, confirmNames, type Confirm } from '../domain/source.ts';
import { defaultTlds, expandSet, type TldSets } from '../domain/names/tld-sets.ts';
import { printable } from '../shared/printable.ts';
import { namesOf, readText, summaryOf } from '../domain/text/read-text.js';
import { hostOf } from '../domain/text/typed-text.js';
import { usageError } from './command-error.ts';
import type { CommandOptions } from './command-table.ts';
import { printLine, type Output, type Streams } from './surroundings.ts';
import { reasonOf } from '../shared/reason-of.ts';

/** Hundreds of operations, and a few hundred MB of memory. */
const maxNames = 100_000;

/**
 * Resolves to the names and labels of `check`: the arguments, with those in the text of stdin for
 * `-`, and in the text of `--file`. Says on stderr how a text was read. Rejects with `CommandError`.
 */
export async function readEntries(
  args: readonly string[],
  file: string | undefined,
  { stdin, stderr }: Streams,
): Promise<readonly string[]> {
  const lists = [];
  const isList = args.length > 2;
  for (const arg of args)
    if (arg === '-') lists.push(entriesIn(await textOf(stdin), stderr));
    else if (!isList || !/^(?:or|and|&|vs\.?)$/i.test(arg)) lists.push([arg]);

  if (file !== undefined) lists.push(entriesIn(readList(file), stderr));
  const entries = lists.flat();
  if (entries.length === 0) throw usageError('The list contains no names.');

  return entries;
}

async function textOf(input: Streams['stdin']): Promise<string> {
  let text = '';
  for await (const chunk of input.setEncoding('utf8')) text += chunk;
  return text;
}

function readList(path: string): string {
  try {
    const bytes = readFileSync(path);
    // Windows PowerShell redirects output as UTF-16.
    return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(
      bytes,
    );
  } catch (error) {
    throw usageError(`--file must name a readable file. It cannot be read: ${reasonOf(error)}`);
  }
}

/** Returns the names in a text, and what is in the place of a name but is none. */
function entriesIn(text: string, stderr: Output): readonly string[] {
  const reading = readText(text);
  const names = namesOf(reading);
  const message = names.length > 0 ? summaryOf(reading) : reading.message;
  if (names.length > 0 || reading.unlikely) printLine(stderr, printable(message ?? ''));
  return [...names, ...(reading.skipped ?? [])];
}

/**
 * Returns the TLDs of `--tlds`, or those of labels without any: `@popular` for a few, undefined if
 * there is none. Throws `CommandError` for many.
 */
export function tldsOf(
  tlds: readonly string[] | undefined,
  entries: readonly string[],
): readonly string[] | undefined {
  if (tlds) return tlds;

  const labels = entries.flatMap(splitEntries).filter(isSingleLabel);
  if (labels.length > defaultTlds.maxLabels)
    throw usageError(
      `The list has ${labels.length} names without a TLD. Add --tlds, such as --tlds com,net.`,
    );

  return labels.length > 0 ? [defaultTlds.set] : undefined;
}

/**
 * Returns the full names to look up: each entry, or its variants; a label under each TLD. A single
 * name must be valid; in a list, an invalid one has a row of its own. Throws `CommandError`.
 */
export function readNames(
  typed: readonly string[],
  tlds: readonly string[] | undefined,
  options: Pick<CommandOptions, 'pattern' | 'prefix' | 'suffix'>,
): readonly string[] {
  const entries = typed
    .flatMap(splitEntries)
    .map((each) => (tlds && !dot.test(hostOf(each)) && isPasted(each) ? hostOf(each) : each));
  const patterns = readPatterns(options);
  const count = entries.length * patterns.length * (tlds?.length ?? 1);
  if (count > maxNames)
    throw usageError(
      `These are ${count.toLocaleString('en')} names, but one command checks at most ${maxNames.toLocaleString('en')}.`,
    );

  const [entry = ''] = entries;
  if (entries.length === 1) {
    if (tlds && isLabel(entry)) readArgument('NAME', () => parseLabel(entry), entry);
    else readName(entry);
  }

  const names = entries.flatMap((each) => {
    if (isPasted(each)) return [each];
    const [label = ''] = each.split(dot);
    const variants = patterns.map((pattern) => pattern.replaceAll('{name}', () => label));
    return tlds && isSingleLabel(each)
      ? variants.flatMap((variant) => tlds.map((tld) => rawInputOf(variant, tld)))
      : variants.map((variant) => variant + each.slice(label.length));
  });

  return tlds || patterns.length > 1 ? [...new Set(names)] : names;
}

const patternForm = /^(?:[^{}]|\{name\}|\{digit\}|\{letter\})*$/;
/** Each multiplies the number of names by up to 26. */
const maxPlaceholders = 3;

/**
 * Returns the patterns of names that `--pattern`, `--prefix` and `--suffix` describe. `{name}` is
 * their only placeholder. Throws `CommandError`.
 */
function readPatterns({
  pattern: patterns = ['{name}'],
  prefix = [],
  suffix = [],
}: Pick<CommandOptions, 'pattern' | 'prefix' | 'suffix'>): readonly string[] {
  const starts = ['', ...prefix.flatMap((list) => list.split(','))];
  const ends = ['', ...suffix.flatMap((list) => list.split(','))];

  for (const pattern of patterns)
    if (
      !patternForm.test(pattern) ||
      !pattern.includes('{name}') ||
      pattern.split(/\{(?:digit|letter)\}/).length > maxPlaceholders + 1
    )
      throw usageError(
        `--pattern must contain {name}, and may contain up to ${maxPlaceholders} of {digit} and {letter}; got ${JSON.stringify(pattern)}.`,
      );

  return patterns
    .flatMap((pattern) => filled(pattern, '{digit}', '0123456789'))
    .flatMap((pattern) => filled(pattern, '{letter}', 'abcdefghijklmnopqrstuvwxyz'))
    .flatMap((each) => starts.flatMap((start) => ends.map((end) => start + each + end)));
}

/** Returns a pattern with each of the characters in each place of a placeholder. */
function filled(pattern: string, placeholder: string, characters: string): readonly string[] {
  if (!pattern.includes(placeholder)) return [pattern];
  return Array.from(characters, (character) => pattern.replace(placeholder, character)).flatMap(
    (each) => filled(each, placeholder, characters),
  );
}

const dot = /[.。．｡]/;

/** Returns the names in an entry, which are several in `a.com, b.com`. An argument loses no word. */
function splitEntries(entry: string): readonly string[] {
  const reading = /^[\w.-]*$/.test(entry) ? undefined : readText(entry);
  if (reading?.kind !== 'list') return [entry];
  return [...namesOf(reading), ...(reading.skipped ?? []), ...(reading.unlikely ?? [])];
}

function isSingleLabel(entry: string): boolean {
  return isLabel(entry) && !/\s/.test(entry.trim());
}

function isLabel(entry: string): boolean {
  return !dot.test(entry) && !isPasted(entry);
}

/** Returns whether an entry is a URL or an e-mail address, or in quotes. */
function isPasted(entry: string): boolean {
  return hostOf(entry) !== entry.trim().toLowerCase();
}

/**
 * Adds to a message about a text which names it may mean, as the search page reads it. They are not
 * looked up: an exit code is about the name that was typed.
 */
export function withHint(
  { message, suggestion: stated }: Pick<Problem, 'message' | 'suggestion'>,
  text: string,
): string {
  const { labels, alternative, suggestion } = readText(text);
  const names = [labels?.join('.'), alternative, suggestion].filter(
    (name) => name !== undefined && name !== text.trim().toLowerCase(),
  );

  return names.length === 0 || stated !== undefined
    ? message
    : `${message} Did you mean ${names.join(' or ')}?`;
}

/** Returns a full name as typed, a URL or an e-mail address. Throws `CommandError`. */
export function readName(name: string): string {
  const parsed = parseEntry(name);
  if (!('problem' in parsed) || isPasted(name)) return name;
  const message = withHint(parsed.problem, name);
  const isAddress = detectObjectType(name) === 'ip';
  const cure = isAddress ? ' whois shows its network.' : dot.test(name) ? '' : ' Add a TLD.';
  throw usageError(`NAME: ${message}${cure}`);
}

/**
 * Resolves to the TLDs of lists that are separated by commas. `all` resolves to those of `@all`.
 * Rejects with `CommandError`.
 */
export async function readTlds(
  lists: readonly string[],
  sets: TldSets,
  all: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const tlds = [];
  for (const entry of lists.flatMap((list) => list.split(',')))
    tlds.push(
      ...(entry.trim().toLowerCase() === '@all'
        ? await all()
        : readArgument('--tlds', () => expandSet(sets, entry).map((tld) => parseSuffix(tld)))),
    );

  return tlds;
}

/** Names the argument at fault in the error of `parse`, and what `text` may mean. */
function readArgument<T>(name: string, parse: () => T, text = ''): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw usageError(`${name}: ${withHint(error, text)}`);
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
