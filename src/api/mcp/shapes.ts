import type { JsonSchemaType } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { Problem } from '../../domain/problems.ts';
import type { Cost } from '../../accounts/account.ts';
import type { RestRow } from '../rest/rows.ts';
import answers from './answers.json' with { type: 'json' };

/** Adds a description, which clients show to the model. */
export const described = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.pipe(schema, v.description(text));

/** Returns the schema of an argument that may be absent. */
export const optional = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  v.optional(described(schema, text));

/** Returns the schema of a whole number. `text`: what it must be. */
export function wholeNumber(text: string, min: number, max?: number) {
  const atLeast = v.pipe(v.number(text), v.integer(text), v.minValue(min, text));
  return max === undefined ? atLeast : v.pipe(atLeast, v.maxValue(max, text));
}

/** An argument that `readMaxAge` reads. */
export const maxAgeArgument = optional(
  wholeNumber('a whole number of seconds, 0 or more', 0),
  'Maximum age of a cached answer, in seconds; 0 queries the registry. Omit it to accept answers that are fresh by default.',
);

/** What `available`, `status` and `reason` mean. Part of the descriptions of the tools. */
export const verdictRules = `\`available\` has three values:
- true: the registry reports the name as unregistered, and this was verified. If \`confidence\` is \`heuristic\`, it was read from the text of a WHOIS server, which is weaker evidence. The name may still be premium-priced, or its TLD restricted (\`cautions\`): only a registrar can confirm a purchase.
- false: the name is registered, reserved or being deleted; see \`status\`. Under a brand or closed TLD, an unregistered name is \`reserved\`.
- null: unknown. \`reason\` says why there is no trustworthy answer. Never report a name with null as available, nor as registered: report that it could not be determined. After \`registry_timeout\`, \`registry_busy\`, \`registry_error\`, \`untrusted_answer\`, \`whois_unclear\` or \`contradicted\`, a later call may return an answer. After \`not_delegated\` (no source of this TLD can prove that a name is available), \`unsupported_tld\` or \`invalid_name\`, repeating the call does not help.

\`checked_at\` is when the source answered, \`cached\` whether that was for an earlier call. For a new answer, pass \`max_age: 0\`.`;

/** A schema of the members of an answer. */
type Members = Readonly<{ properties: object; required: readonly string[] }>;

/** Returns the schema of answers with these members, and their cost for callers with a key. */
export function answerOf(...parts: readonly Members[]): JsonSchemaType {
  return objectOf(...parts, answers.credits);
}

/** Returns the schema of an object with the members of several. */
export function objectOf(...parts: readonly Members[]): JsonSchemaType {
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required),
  };
}

/** What a verdict is made from: a row of REST without the members that only programs need. */
export type VerdictRow = Omit<RestRow, 'tld' | 'rdap_endpoint' | 'latency_ms'>;

export type ToolVerdict = ReturnType<typeof verdictOf>;

/**
 * Converts a row of an operation: lower-case enum values, `reason` and `cautions` only if there are
 * any.
 */
export function verdictOf({
  domain,
  available,
  status,
  reason,
  cautions,
  did_you_mean: didYouMean = [],
  confidence,
  source,
  checked_at,
  cached,
  stale,
}: VerdictRow) {
  return {
    domain,
    available,
    status: status.toLowerCase(),
    ...(reason !== null && { reason }),
    ...(cautions.length > 0 && { cautions }),
    ...(didYouMean.length > 0 && { did_you_mean: didYouMean }),
    confidence: confidence?.toLowerCase() ?? null,
    source,
    checked_at,
    cached,
    stale,
  };
}

type DetailedVerdict = ToolVerdict & { readonly detail?: string | undefined };

/** Throws `too_many_lookups` that names the argument. */
export function assertMaxEntries(param: string, count: number, max: number): void {
  if (count > max)
    throw new Problem('too_many_lookups', `${param} has ${count} entries; the maximum is ${max}.`, {
      param,
    });
}

/** Returns the results in a few lines, for clients that read only text: names by verdict. */
export function verdictLines(
  results: readonly DetailedVerdict[],
  cost: Cost | undefined,
): readonly string[] {
  const available = results.filter((result) => result.available === true);
  const taken = results.filter((result) => result.available === false);
  const unknown = results.filter((result) => result.available === null);

  return [
    `${available.length} of ${results.length} names are available.`,
    ...line('Available', available, withNotes),
    ...line('Not available', taken, withNotes),
    ...line(
      'Unknown, which does not mean available',
      unknown,
      ({ domain, reason, did_you_mean: meant = [] }) =>
        `${domain} (${[reason ?? 'unknown', ...meant.map((name) => `did you mean ${name}?`)].join(', ')})`,
    ),
    ...detailLines(results),
    ...ageLine(results),
    ...costText(cost),
  ];
}

/** Returns a line with the age of cached answers; none if all are new. */
export function ageLine(results: readonly ToolVerdict[]): readonly string[] {
  const times = results.flatMap(({ cached, checked_at: at }) => (cached && at) || []);
  return times.length === 0
    ? []
    : [`From the cache; the oldest answer is of ${times.toSorted()[0]}.`];
}

/** Returns a name with what a caller should know about its verdict. */
function withNotes({ domain, status, confidence, stale, cautions = [] }: ToolVerdict): string {
  const notes = [
    ...(['available', 'registered'].includes(status) ? [] : [status]),
    ...(confidence === 'heuristic' ? [confidence] : []),
    ...(stale ? ['stale'] : []),
    ...cautions.map(({ code }) => code),
  ];
  return [domain, ...notes.map((note) => `(${note})`)].join(' ');
}

const maxDetailLines = 10;

/** Returns the first distinct details of cautions, and of entries with a `detail`, one a line. */
export function detailLines(results: readonly DetailedVerdict[]): readonly string[] {
  const texts = results.flatMap(({ cautions = [], detail = [] }) => [
    ...cautions.map((caution) => `${caution.code}: ${caution.detail}`),
    ...[detail].flat(),
  ]);
  return Array.from(new Set(texts)).slice(0, maxDetailLines);
}

function line(
  title: string,
  results: readonly ToolVerdict[],
  textOf: (result: ToolVerdict) => string,
): readonly string[] {
  return results.length === 0 ? [] : [`${title}: ${results.map(textOf).join(', ')}`];
}

/** Returns the verdict of one name as a sentence. */
export function singleVerdictText(verdict: ToolVerdict): string {
  const { domain, available, status, reason, stale } = verdict;
  if (available === null)
    return `It is unknown whether ${domain} is available (${reason ?? status}).`;
  return available
    ? `${withNotes(verdict)} is available: the registry has no registration for it.`
    : `${domain} is not available (${status}${stale ? ', stale' : ''}).`;
}

/** Returns a line with the cost of a call; none for a caller that is not metered. */
export function costText(cost: Cost | undefined): readonly string[] {
  return cost ? [`Credits: ${cost.charged} charged, ${cost.remaining} left.`] : [];
}

const maxTextLength = 99;
const maxListed = 20;

/**
 * Returns data of others in one line, as JSON without nulls: a model can tell where each text ends.
 * Long texts and lists are shortened.
 */
export function dataText(data: object): string {
  return JSON.stringify(data, (_key, value: unknown) => {
    if (value === null) return undefined;
    if (typeof value === 'string' && value.length > maxTextLength)
      return `${value.slice(0, maxTextLength)}…`;
    return Array.isArray(value) && value.length > maxListed
      ? [...value.slice(0, maxListed), `… ${value.length - maxListed} more`]
      : value;
  });
}
