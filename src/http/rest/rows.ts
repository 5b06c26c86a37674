import type { ProblemCode } from '../../domain/problems.ts';
import type { CsvRow } from '../../shared/csv.ts';

/** A row in the result of a saved operation. */
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
  /** Absent from `/v1/rdap`, which has a problem of its own. */
  readonly problem?: { readonly detail: string } | null;
}

/**
 * Returns a row as it is sent, in JSON or CSV: lower-case enum values, whole milliseconds, and
 * `reason` and `detail` only if there is no verdict.
 */
export function rowBody({ reason, problem, ...row }: RestRow): CsvRow {
  return {
    ...row,
    status: row.status.toLowerCase(),
    confidence: row.confidence?.toLowerCase() ?? null,
    latency_ms: Math.round(row.latency_ms),
    ...(reason !== null && { reason, ...(problem && { detail: problem.detail }) }),
  };
}

/** Returns whether every row that needed a registry came from the cache. Pending rows did not. */
export function allCached(rows: readonly RestRow[]): boolean {
  const queried = rows.filter((row) => row.source !== null || row.cached || isPending(row));
  return queried.length > 0 && queried.every(({ cached }) => cached);
}

interface SummaryOptions {
  readonly durationMs: number;
  /** The request has a time budget, so rows may be pending. */
  readonly hasBudget: boolean;
}

/** Returns `meta` of `/v1/status`. */
export function summary(
  rows: readonly RestRow[],
  { durationMs, hasBudget }: SummaryOptions,
): Record<string, number> {
  return {
    total_checked: rows.length,
    available_count: countOf(rows, ({ available }) => available === true),
    ...(hasBudget && { pending: countOf(rows, isPending) }),
    duration_ms: durationMs,
  };
}

/**
 * Returns `meta` of a bulk call. `total_checked` and `available_count` are older names of `total`
 * and `available`.
 */
export function tally(rows: readonly RestRow[], options: SummaryOptions): Record<string, number> {
  const { total_checked = 0, available_count = 0, ...others } = summary(rows, options);
  const invalid = countOf(rows, ({ status }) => status === 'INVALID');
  return {
    total: total_checked,
    available: available_count,
    registered: countOf(rows, ({ available }) => available === false),
    unknown: countOf(rows, ({ available }) => available === null) - invalid,
    invalid,
    total_checked,
    available_count,
    ...others,
  };
}

function countOf(rows: readonly RestRow[], predicate: (row: RestRow) => boolean): number {
  return rows.filter(predicate).length;
}

function isPending({ status }: RestRow): boolean {
  return status === 'PENDING';
}
