import * as v from 'valibot';
import answers from './answers.json' with { type: 'json' };
import type { Directory } from '../../domain/directory.ts';
import { parseLabel, rawInputOf } from '../../domain/names/domain-name.ts';
import { namesOf, readText, summaryOf as summaryOfText } from '../../domain/text/read-text.js';
import { Problem, missingParameter, invalidParameter } from '../../domain/problems.ts';
import {
  dedupeByDomain,
  entryParsers,
  parseEntry,
  registrableNameOf,
  requireNonEmpty,
  splitEntry,
  type ParsedName,
  type Search,
} from '../../domain/names/parsed-name.ts';
import { confirmNamed, confirmNames } from '../../domain/source.ts';
import { TimeSlices } from '../../execution/time-slices.ts';
import { defaultTlds, expandTldSet, tldSets } from '../../domain/names/tld-sets.ts';
import { countThatFits, namesAfter } from './answer-pages.ts';
import { readMaxAge } from '../../server/messages/parameters.ts';
import {
  corrected,
  readName,
  readArguments,
  type SavedCall,
  creditsOf,
  type Tool,
  type ToolCall,
} from './tool.ts';
import {
  assertMaxEntries,
  answerOf,
  optional,
  maxAgeArgument,
  objectOf,
  verdictOf,
  verdictRules,
  type ToolVerdict,
  type VerdictRow,
  verdictLines,
} from './shapes.ts';

/** How many names a call may contain. */
export interface NameLimits {
  /** Distinct names. */
  readonly maxLookups: number;
  /** Entries, including repeated ones. */
  readonly maxInputs: number;
}

export interface CheckOptions {
  readonly limits: NameLimits;
  readonly directory: Directory;
}

const sets = Object.keys(tldSets)
  .map((name) => `\`@${name}\``)
  .join(', ');
const maxTextLength = 30_000;
const strings = v.array(v.string('a string'), 'an array of strings');

const input = v.strictObject(
  {
    names: optional(strings, 'Full domain names, such as `example.com`. Alternative to `label`.'),
    label: optional(v.string('a string'), 'One label without a dot, checked under each of `tlds`.'),
    tlds: optional(strings, `TLDs such as \`com\` or \`co.uk\`, or sets of TLDs: ${sets}.`),
    text: optional(
      v.pipe(v.string('a string'), v.maxLength(maxTextLength, `up to ${maxTextLength} characters`)),
      'A list, table, e-mail or other text with names, as people and chat assistants write them. Alternative to `names`. Labels without a TLD are checked under each of `tlds`, by default `@popular`. `read` says what was read.',
    ),
    after: optional(
      v.string('a string'),
      '`after` of the previous answer, to get the names after it. The other arguments stay the same.',
    ),
    max_age: maxAgeArgument,
    confirm: optional(
      v.picklist(confirmNames, confirmNames.map((name) => `\`${name}\``).join(' or ')),
      'Default `all`: each name is looked up at its registry. `available` is faster for many names: a name that its parent zone delegates is `registered` with the source `dns`, without a request to the registry.',
    ),
  },
  'an object',
);

const output = answerOf(
  {
    properties: {
      results: {
        type: 'array',
        items: objectOf(answers.verdict, answers.check_result),
        description: 'One entry per distinct name, in the order of the arguments.',
      },
    },
    required: ['results'],
  },
  answers.check_domains,
);

interface CheckRow extends VerdictRow {
  readonly problem: { readonly code: string; readonly detail: string } | null;
  readonly registrable_name: string | null;
}

/** The tool `check_domains`: many names, without their records. */
export function checkDomains(options: CheckOptions): Tool {
  return {
    name: 'check_domains',
    title: 'Check domain availability',
    description: `Checks whether domain names are registered, each at its own registry. Pass \`names\`, or \`label\` and \`tlds\`, or \`text\`; at most ${options.limits.maxLookups} distinct names. One call with many names is faster and cheaper than many calls. A long list is answered in several calls, each of which costs its own names only: while there is \`remaining\`, call again with \`after\`.\n\n${verdictRules}`,
    input,
    output,
    run: (args, call) => run(args, call, options),
  };
}

async function run(args: unknown, call: ToolCall, options: CheckOptions) {
  const { limits, directory } = options;
  const { max_age: maxAge, confirm, after, ...search } = readArguments(input, args);
  const { namesParam, entries, search: sent, read } = await readSearch(search, call, options);

  assertMaxEntries(namesParam, entries, limits.maxInputs);
  call.spendWork(entries);
  const names = dedupeByDomain(await slices.run(entryParsers(sent)));
  assertMaxEntries(namesParam, names.length, limits.maxLookups);

  const left = namesAfter(after, names);
  const page = left.slice(0, countThatFits(left, directory));

  const { data, cost } = await call.execute({
    operation: 'check',
    mode: 'streaming',
    variables: {
      ...variablesOf(sent, page),
      maxAge: readMaxAge(maxAge),
      confirm: confirmNamed(confirm),
    },
    namesParam,
    onRow: progressReporter(call),
  });
  const { domains } = data as { domains: readonly CheckRow[] };
  const results = domains.map((row) => ({ ...verdictOf(row), ...faultOf(row) }));

  const remaining = left.length - page.length;
  const last = page.at(-1)?.domain ?? '';

  return {
    structured: {
      results,
      summary: summaryOf(results),
      ...(read !== undefined && { read }),
      ...(remaining > 0 && { remaining, after: last }),
      ...creditsOf(cost),
    },
    lines: [
      ...(read === undefined ? [] : [read]),
      ...verdictLines(results, cost),
      ...(remaining > 0
        ? [`${remaining} names are left: call again with the same arguments and after ${last}.`]
        : []),
    ],
  };
}

const slices = new TimeSlices();

/** Returns the arguments of a search for some of its names only, in the same form. */
function variablesOf({ name }: Search, names: readonly ParsedName[]) {
  const entries = names.map(({ domain, inputs: [entry = domain] = [] }) => entry);
  return name === undefined
    ? { domains: entries }
    : { name, tlds: entries.map((entry) => splitEntry(entry).suffix) };
}

/**
 * Returns why an entry is not a name, and what to call with instead, or why a name is reserved;
 * nothing for others.
 */
function faultOf({ domain, status, problem, registrable_name: name }: CheckRow) {
  if (problem && status === 'RESERVED') return { detail: `${problem.code}: ${problem.detail}` };
  if (!problem || status !== 'INVALID') return {};

  const parsed = parseEntry(domain);
  const { detail: message } = problem;
  // A valid name is at the wrong level: the detail states which name to look up, if there is one.
  const detail =
    'problem' in parsed ? corrected({ ...parsed.problem, message }, domain, name) : message;
  return { detail, ...(name !== null && { registrable_name: name }) };
}

/** A search in one of its two forms. */
interface ReadSearch {
  readonly search: Search;
  readonly namesParam: string;
  readonly entries: number;
  /** How a text was read. */
  readonly read?: string;
}

/** Rejects with `invalid_parameter`, `missing_parameter` or `invalid_name`. */
async function readSearch(
  {
    names,
    label,
    tlds,
    text,
  }: Pick<v.InferOutput<typeof input>, 'names' | 'label' | 'tlds' | 'text'>,
  call: ToolCall,
  options: CheckOptions,
): Promise<ReadSearch> {
  if (text !== undefined && (names || label !== undefined))
    throw invalidParameter('text', 'Pass text, or names or label, not both.');
  if (text !== undefined) {
    // Reading 100 characters, or 25 lines or items, takes as long as parsing a name.
    call.spendWork(text.length / 100 + text.split(/[\n,]/).length / 25);
    return readPasted(text, tlds, options);
  }
  if (names && (label !== undefined || tlds))
    throw invalidParameter('names', 'Pass either names, or label and tlds, not both.');
  if (names) {
    const search = { domains: requireNonEmpty('names', names) };
    return { namesParam: 'names', entries: names.length, search };
  }
  if (label === undefined && !tlds)
    throw new Problem('missing_parameter', 'Pass either names, or label and tlds.', {
      param: 'names',
    });
  if (label === undefined || label.trim() === '') throw missingParameter('label');
  const suffixes = requireNonEmpty('tlds', tlds);
  await readName('label', label, parseLabel, call);
  const entries = suffixes.flatMap(expandTldSet).length;

  return { namesParam: 'tlds', entries, search: { name: label, tlds } };
}

/** Throws `invalid_parameter`, `missing_parameter` or `too_many_lookups`. */
function readPasted(
  text: string,
  tlds: readonly string[] | undefined,
  { limits, directory }: CheckOptions,
): ReadSearch {
  const reading = readText(text);
  const names = namesOf(reading);
  if (names.length === 0) {
    const { message = 'There is no domain name in this text.', suggestion } = reading;
    const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    throw invalidParameter('text', message + hint);
  }
  const labels = names.filter((name) => !name.includes('.'));
  const suffixes = requireNonEmpty('tlds', tlds ?? [defaultTlds.set]).flatMap(expandTldSet);
  const read = summaryOfText(reading);
  const entries = names.length + labels.length * (suffixes.length - 1);
  const isMany = labels.length > defaultTlds.maxLabels || entries > limits.maxLookups;
  if (labels.length > 0 && isMany && !tlds) {
    const detail = `The text has ${labels.length} names without a TLD. Pass tlds, such as ["com"].`;
    throw new Problem('missing_parameter', detail, { param: 'tlds' });
  }
  assertMaxEntries('text', entries, limits.maxInputs);
  const [label = ''] = labels;
  if (names.length === 1 && labels.length === 1)
    return { namesParam: 'text', entries, search: { name: label, tlds: suffixes }, read };
  const domains = names.flatMap((name) =>
    name.includes('.')
      ? [registrableNameOf(name, directory) ?? name]
      : suffixes.map((suffix) => rawInputOf(name, suffix)),
  );
  return { namesParam: 'text', entries, search: { domains }, read };
}

function progressReporter({ reportProgress }: ToolCall): SavedCall['onRow'] {
  if (!reportProgress) return undefined;
  return ({ domain, status, done, total }) =>
    reportProgress(done, total, `${domain}: ${status.toLowerCase()}`);
}

function summaryOf(results: readonly ToolVerdict[]): Record<string, number> {
  const count = (matches: (verdict: ToolVerdict) => boolean) => results.filter(matches).length;
  const invalid = count(({ status }) => status === 'invalid');

  return {
    total: results.length,
    available: count(({ available }) => available === true),
    registered: count(({ available }) => available === false),
    unknown: count(({ available }) => available === null) - invalid,
    invalid,
  };
}
