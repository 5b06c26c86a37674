import type { JsonSchemaType, ToolAnnotations } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Cost } from '../../accounts/account.ts';
import { Problem, resultOrProblem, type FieldError } from '../../domain/problems.ts';
import { maxFieldErrors } from '../../server/messages/collect-problems.ts';
import type { Caller, RunOptions } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { dataOf } from '../../execution/result.ts';
import { withParameterNames } from '../../server/messages/run-response.ts';
import { objectOperations } from '../rest/objects.ts';
import { registrationSelection, timelineSelection } from '../rest/selections.ts';
import { parseEntry } from '../../domain/names/parsed-name.ts';
import { isObject } from '../../shared/shapes.ts';
import { readText } from '../../domain/text/read-text.js';

/** Unknown arguments are rejected. */
export type InputSchema = v.StrictObjectSchema<
  v.ObjectEntries,
  v.ErrorMessage<v.StrictObjectIssue> | undefined
>;

/** A tool: what clients see of it, and how a call is executed. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: InputSchema;
  readonly output: JsonSchemaType;
  /** What it declares instead of only reading. */
  readonly annotations?: ToolAnnotations;
  /** Executes a call. Rejects with a `Problem` that names the argument at fault. */
  run(args: unknown, call: ToolCall): Promise<ToolAnswer>;
}

/** What a tool can use while it executes a call. */
export interface ToolCall {
  /** Runs a saved operation on behalf of the caller. Rejects with a `Problem`. */
  execute(call: SavedCall): Promise<SavedResult>;
  /** Runs a query of an agent on behalf of the caller. Rejects with a `Problem`. */
  query(query: GraphQuery): Promise<SavedResult>;
  /** Returns the price of a query in credits, as if none of its names and objects were free. */
  priceOf(query: string): Promise<number>;
  /** Counts names that are about to be parsed. Throws `rate_limited`. */
  spendWork(names: number): void;
  /** Reports progress; undefined if the client requested none. */
  readonly reportProgress?: (done: number, total: number, message: string) => void;
}

interface ToolAnswer {
  /** Conforms to `output`. */
  readonly structured: Record<string, unknown>;
  /** The essentials for clients that read only text, line by line. */
  readonly lines: readonly string[];
}

/** Returns the member of an answer that states its cost, for callers with a key. */
export function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}

/**
 * Parses the arguments of a tool. Throws a `Problem` that names each invalid argument. The messages
 * of the schema complete the sentence "… must be".
 */
export function readArguments<Schema extends InputSchema>(
  schema: Schema,
  args: unknown,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, withoutAbsent(schema, args ?? {}));
  if (success) return output;

  const errors = issues.slice(0, maxFieldErrors).map(fieldErrorOf);
  const [first] = errors;
  throw new Problem(first?.code ?? 'invalid_parameter', first?.detail ?? '', {
    param: first?.param,
    errors: errors.length > 1 ? errors : undefined,
  });
}

/**
 * Removes optional arguments that are null, because clients of several frameworks send each of them,
 * and required ones that are empty, which are missing.
 */
function withoutAbsent({ entries }: InputSchema, args: unknown): unknown {
  if (!isObject(args)) return args;
  const isAbsent = (name: string, value: unknown) => {
    if (!Object.hasOwn(entries, name)) return false;
    if (entries[name]?.type === 'optional') return value === null;
    return typeof value === 'string' && value.trim() === '';
  };
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => !isAbsent(name, value)));
}

function fieldErrorOf(issue: v.BaseIssue<unknown>): FieldError {
  const param = v.getDotPath(issue) ?? 'arguments';
  if (issue.expected === 'never') {
    const detail = `${param} is not an argument of this tool.`;
    return { param, code: 'invalid_parameter', detail };
  }

  if (issue.type === 'strict_object' && issue.received === 'undefined')
    return { param, code: 'missing_parameter', detail: `${param} is missing or empty.` };

  return {
    param,
    code: param === 'max_age' ? 'invalid_max_age' : 'invalid_parameter',
    detail: `${param} must be ${issue.message}.`,
  };
}

/** A longer text, or one of more parts, is no name with additions. */
const maxCorrected = { characters: 300, parts: 30 };

/** Adds to the detail of a text that is not a name what to call with instead, if that is clear. */
export function corrected(
  { message: detail, suggestion: stated }: Pick<Problem, 'message' | 'suggestion'>,
  text: string,
  registrableName: string | null,
): string {
  if (stated !== undefined) return detail;

  const isLong =
    text.length > maxCorrected.characters || text.split(/[\s.,;|]/).length > maxCorrected.parts;
  if (isLong) return detail;
  if (registrableName !== null) return `${detail} Call again with the name ${registrableName}.`;

  const { labels, alternative, suggestion } = readText(text);
  const plain = alternative ?? suggestion ?? labels?.join('.') ?? '';
  const hasTld = plain.includes('.');
  if ('problem' in parseEntry(hasTld ? plain : `${plain}.com`)) return detail;

  return hasTld
    ? `${detail} Call again with the name ${plain}.`
    : `${detail} Call check_domains with label ${plain} and tlds.`;
}

/** Parses an argument with a name. Rejects with a problem that says what to call with instead. */
export async function readName<T>(
  param: string,
  text: string,
  parse: (text: string) => T,
  call: ToolCall,
): Promise<T> {
  const result = resultOrProblem(() => parse(text));
  if (!(result instanceof Problem)) return result;

  const { code } = result;
  if (code !== 'invalid_name') throw new Problem(code, result.message, { param });

  const variables = { domains: [text] };
  const { data } = await call.execute({ operation: 'correct', variables });
  const [owner] = (data as { domains: [{ registrable_name: string | null }] }).domains;

  throw new Problem(code, corrected(result, text, owner.registrable_name), { param });
}

/** A query that an agent has written. */
export interface GraphQuery {
  readonly query: string;
  readonly variables: Record<string, unknown> | undefined;
  /** What it may cost, in credits. */
  readonly maxCredits: number;
}

/** A saved operation with its variables. */
export interface SavedCall extends Partial<Pick<RunOptions, 'mode' | 'onRow'>> {
  readonly operation: keyof typeof mcpOperations;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The argument that contains the names, for the problem of too many names. */
  readonly namesParam?: string;
}

export interface SavedResult {
  readonly data: unknown;
  readonly cost: Cost | undefined;
}

/**
 * Runs a saved operation for a caller until it ends or the signal is aborted. Rejects with a
 * `Problem`.
 */
export async function runSaved(
  execution: Execution,
  { operation, variables, namesParam = '', mode = 'buffered', onRow }: SavedCall,
  { account, payer, work }: Omit<Caller, 'signal'>,
  signal: AbortSignal,
): Promise<SavedResult> {
  const saved = execution.saved(mcpOperations[operation]);
  const result = await execution.run(
    saved.coerce(variables),
    { account, payer, work, signal: () => signal },
    { mode, onRow },
    (executed) => ({ value: dataOf(executed) }),
  );
  if ('error' in result) throw withParameterNames(result, { namesParam });

  return { data: result.value, cost: result.cost };
}

// A test validates these operations. The aliases are the keys of the structured content.
const verdict =
  'domain available status confidence source checked_at: checkedAt cached stale reason cautions { code detail } did_you_mean: didYouMean';

const read = 'checked_at: checkedAt cached problem { code detail }';

/** The saved operations that the tools run, by name. */
export const mcpOperations = {
  check: `query Check($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm) {
    domains(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${verdict} registrable_name: registrableName problem { code detail } }
  }`,
  /** Returns the name to which a text belongs, such as a URL. Nothing is looked up. */
  correct: `query Correct($domains: [String!]) {
    domains(domains: $domains) { registrable_name: registrableName }
  }`,
  /** Looks up one name with its registration, without the registry's own object. */
  lookup: `query Lookup($domain: String!, $maxAge: Int) {
    domain(name: $domain, maxAge: $maxAge) {
      ${verdict}
      unicode_name: unicodeName
      problem { code detail retryable retry_after: retryAfter }
      registration { ${registrationSelection} }
      ${timelineSelection}
    }
  }`,
  tlds: `query Tlds($search: String, $set: String, $policy: [TldPolicy!], $proves_available: Boolean, $after: String, $first: Int) {
    tlds(search: $search, set: $set, policy: $policy, provesAvailable: $proves_available, after: $after, first: $first) {
      total: totalCount
      page: pageInfo { hasNextPage endCursor }
      tlds: nodes { tld: label unicode: unicodeLabel sources { source } proves_available: provesAvailable policy policy_detail: policyDetail rdap }
    }
  }`,
  /** Reads the parts of a site whose variable is true. */
  inspect: `query Inspect($host: String, $url: String, $maxAge: Int, $robots: Boolean!, $dns: Boolean!, $tls: Boolean!, $page: Boolean!, $signals: Boolean!) {
    site(host: $host, url: $url) {
      robots(maxAge: $maxAge) @include(if: $robots) { ${read} http_status: httpStatus access groups { user_agents: userAgents rules { type path } } sitemaps truncated }
      dns(maxAge: $maxAge) @include(if: $dns) { ${read} exists a aaaa cname mx { priority exchange } ns txt caa { tag value } }
      tls(maxAge: $maxAge) @include(if: $tls) { ${read} trusted trust_error: trustError matches_host: matchesHost protocols { version offered } certificates { subject issuer names not_before: notBefore not_after: notAfter } findings { severity finding } }
      page(maxAge: $maxAge) @include(if: $page) { ${read} final_url: finalUrl http_status: httpStatus fetch_state: fetchState title description language redirects { url } robots { indexable } security_headers: securityHeaders social_profiles: socialProfiles { platform url } }
      signals: agentSignals(maxAge: $maxAge) @include(if: $signals) { ${read} outcome signals { name status evidence } }
    }
  }`,
  receipt: `mutation CreateReceipt($domain: String!) {
    createReceipt(domain: $domain) { id domain verdict rule created_at: createdAt url }
  }`,
  account: `query Account {
    account {
      name
      credits_limit: creditsLimit
      credits_used: creditsUsed
      credits_remaining: creditsRemaining
      resets_at: resetsAt
    }
  }`,
  ...objectOperations,
};
