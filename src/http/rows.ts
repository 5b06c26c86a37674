/** A row as the saved operation yields it. */
export interface Row {
  readonly domain: string;
  /** Not in a record. */
  readonly tld?: string;
  readonly available: boolean | null;
  readonly status: string;
  readonly source: string | null;
  readonly rdap_endpoint: string | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checked_at: string | null;
  readonly latency_ms: number;
  readonly reason: string | null;
  /** For the caching headers; not sent. */
  readonly fresh_until: string | null;
}

/** A row as REST sends it: the status in lower case, `reason` only where there is one. */
export function rowBody({ reason, fresh_until: _unsent, ...row }: Row): Record<string, unknown> {
  return { ...row, status: row.status.toLowerCase(), ...(reason !== null && { reason }) };
}

/** Whether all that was asked of a registry came from the cache. */
export function allCached(rows: readonly Row[]): boolean {
  const asked = rows.filter(({ source, cached }) => source !== null || cached);
  return asked.length > 0 && asked.every(({ cached }) => cached);
}

/** How the rows of a bulk call add up. `total_checked` and `available_count` are older names of the first two. */
export function tally(rows: readonly Row[]): Record<string, number> {
  const count = (counts: (row: Row) => boolean) => rows.filter(counts).length;
  const available = count((row) => row.available === true);
  const invalid = count((row) => row.status === 'INVALID');
  return {
    total: rows.length,
    available,
    registered: count((row) => row.available === false),
    unknown: count((row) => row.available === null) - invalid,
    invalid,
    total_checked: rows.length,
    available_count: available,
  };
}
