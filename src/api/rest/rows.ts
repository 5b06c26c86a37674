import type { Cost } from '../../accounts/account.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { Offer } from '../../domain/offers.ts';
import type { Caution } from '../../domain/policy.ts';
import { csvColumns, type CsvRow } from '../../shared/csv.ts';
import { preferCache, skipCache } from '../../server/messages/deprecations.ts';
import { evidenceSelection, withWords } from './selections.ts';
import * as shape from './shape.ts';
import type { JsonSchema, Properties } from './shape.ts';
import schemas from './openapi/schemas.json' with { type: 'json' };

export const maxAgeAliases = {
  prefer_cache: preferCache,
  skip_cache: skipCache,
  cache_skip: skipCache,
  'cache-skip': skipCache,
};

// A test validates these operations: validating them at startup took a tenth of the startup time.

/** Selects the members of a row. The aliases are the keys of bodies, so rows need no renaming. */
export const rowSelection = `
  domain
  available
  status
  confidence
  source
  rdap_endpoint: rdapEndpoint
  cached
  stale
  checked_at: checkedAt
  latency_ms: latencyMs
  reason
  cautions { code detail }
  did_you_mean: didYouMean
  offers { seller register { amount currency } renew { amount currency } url }
`;

const statusSelection = `domain tld ${rowSelection} registrable_name: registrableName problem { detail }`;

/** Looks up one label under several TLDs, or full names. `added`: further fields of the rows. */
const statusOperationWith = (
  added = '',
) => `query Status($name: String, $tlds: [String!], $domains: [String!], $maxAge: Int, $confirm: Confirm, $budgetMs: Int) {
  domains(name: $name, tlds: $tlds, domains: $domains, maxAge: $maxAge, confirm: $confirm, budgetMs: $budgetMs) { ${statusSelection} ${added} }
}`;
export const statusOperation = statusOperationWith();

/** Looks up full names, and streams the rows as they arrive. `added`: further fields of the rows. */
const statusStreamOperationWith = (
  added = '',
) => `subscription StatusStream($domains: [String!], $maxAge: Int, $confirm: Confirm) {
  availability(domains: $domains, maxAge: $maxAge, confirm: $confirm) { ${statusSelection} ${added} }
}`;
export const statusStreamOperation = statusStreamOperationWith();

/** The same operations with everything that a parameter adds. */
export const fullStatusOperation = statusOperationWith(evidenceSelection);
export const fullStatusStreamOperation = statusStreamOperationWith(evidenceSelection);

/** A row in the result of these operations. */
export interface RestRow {
  readonly domain: string;
  /** Absent from `/v1/rdap`. */
  readonly tld?: string;
  readonly available: boolean | null;
  readonly status: string;
  readonly confidence: string | null;
  readonly source: string | null;
  readonly rdap_endpoint: string | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checked_at: string | null;
  readonly latency_ms: number;
  readonly reason: ProblemCode | null;
  readonly cautions: readonly Caution[];
  readonly did_you_mean?: readonly string[];
  readonly offers: readonly Offer[] | null;
  /** Only on request. */
  readonly evidence?: object | null;
  /** Absent from `/v1/rdap`, which has a problem of its own. */
  readonly problem?: { readonly detail: string } | null;
  /** Absent from `/v1/rdap`. */
  readonly registrable_name?: string | null;
}

/**
 * Returns a row as it is sent, in JSON or CSV: lower-case enum values, whole milliseconds, and
 * `reason`, `detail`, `cautions`, `did_you_mean`, `offers` and `registrable_name` only if there are
 * any, and `evidence` on request.
 */
export function rowBody({
  reason,
  problem,
  cautions,
  did_you_mean: didYouMean = [],
  offers,
  registrable_name: registrableName,
  evidence,
  ...row
}: RestRow): CsvRow & Partial<Pick<RestRow, 'offers' | 'evidence'>> {
  return {
    ...row,
    status: row.status.toLowerCase(),
    confidence: row.confidence?.toLowerCase() ?? null,
    latency_ms: Math.round(row.latency_ms),
    ...(reason !== null && { reason }),
    ...(problem && { detail: problem.detail }),
    ...(cautions.length > 0 && { cautions }),
    ...(didYouMean.length > 0 && { did_you_mean: didYouMean }),
    ...(offers?.length && { offers }),
    ...(registrableName && { registrable_name: registrableName }),
    ...(evidence !== undefined && { evidence: withWords('evidence', evidence) }),
  };
}

/** Returns the schema of a row of a status or bulk call, after further members. */
export function statusRowSchema(
  { problem: _problem, ...properties }: Properties,
  optional: readonly string[] = [],
): JsonSchema {
  const detail = shape.text(
    'What happened, in one sentence. Present with `reason`, and if the policy of the TLD is why an unregistered name is `reserved`.',
  );
  const registrable_name = { ...properties['registrable_name'], type: 'string' };

  return rowSchema({ ...properties, detail, registrable_name }, [
    ...optional,
    'detail',
    'registrable_name',
  ]);
}

const { description: _ofTld, ...sourceKindSchema } = schemas.TldSource.properties.source;

/** Returns the schema of a row as it is sent. */
export function rowSchema(
  { reason, offers, evidence, ...properties }: Properties,
  optional: readonly string[] = [],
): JsonSchema {
  return shape.objectOf(
    {
      ...properties,
      source: { ...properties['source'], ...shape.orNull(sourceKindSchema) },
      latency_ms: { ...properties['latency_ms'], type: 'integer' },
      reason: { ...reason, type: 'string' },
      offers: { ...offers, type: 'array' },
      evidence: {
        ...evidence,
        description: `${String(evidence?.['description'])} Only with \`evidence=true\`.`,
      },
    },
    [...optional, 'reason', 'cautions', 'did_you_mean', 'offers', 'evidence'],
  );
}

export const inputSchema = shape.text(
  'The full domain name as sent; the first spelling if the name was sent in several.',
);

export const csvAlternative = {
  type: 'string',
  description: `CSV (RFC 4180) in UTF-8. The first line names the columns, the fields of a result: ${csvColumns.join(', ')}. A cell is empty if the field is null or absent. A text that a spreadsheet would read as a formula begins with an apostrophe. New columns are added at the end.`,
};

/** The rows of a response. */
export interface Rows {
  readonly rows: readonly RestRow[];
  readonly durationMs: number;
  /** The request has a time budget, so rows may be pending. */
  readonly hasBudget: boolean;
}

/** Returns what bodies have besides their rows and totals. */
export function rowsBody({ rows, durationMs }: Rows) {
  return { cached: allCached(rows), latency_ms: durationMs };
}

/** Returns whether every row that needed a registry came from the cache. Pending rows did not. */
function allCached(rows: readonly RestRow[]): boolean {
  const queried = rows.filter((row) => row.source !== null || row.cached || isPending(row));
  return queried.length > 0 && queried.every(({ cached }) => cached);
}

/** Returns `meta` of `/v1/status`. */
export function summaryOf({ rows, durationMs, hasBudget }: Rows) {
  return {
    total_checked: rows.length,
    available_count: countOf(rows, isAvailable),
    ...(hasBudget && { pending: countOf(rows, isPending) }),
    duration_ms: durationMs,
  };
}

/** Returns `meta` of a bulk call, with the cost if it is streamed: its headers are sent before. */
export function tallyOf(results: Rows, credits?: Cost) {
  const { rows } = results;

  return {
    total: rows.length,
    available: countOf(rows, isAvailable),
    registered: countOf(rows, ({ available }) => available === false),
    unknown: countOf(rows, (row) => row.available === null && !isInvalid(row)),
    invalid: countOf(rows, isInvalid),
    ...summaryOf(results),
    ...(credits && { credits }),
  };
}

function countOf(rows: readonly RestRow[], predicate: (row: RestRow) => boolean): number {
  return rows.filter(predicate).length;
}

function isAvailable({ available }: RestRow): boolean {
  return available === true;
}

function isPending({ status }: RestRow): boolean {
  return status === 'PENDING';
}

function isInvalid({ status }: RestRow): boolean {
  return status === 'INVALID';
}
