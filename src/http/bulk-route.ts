import { askedEntry } from '../domain/asked.ts';
import { readJsonBody } from './body.ts';
import { readBulk, type Bulk } from './bulk-body.ts';
import { statusOperation } from './operations.ts';
import type { Prepared, RestRoute } from './rest.ts';
import { allCached, rowBody, tally, type Row } from './rows.ts';

/** `POST /v1/status/bulk`: one result per input, in input order; equal names are looked up once. */
export function bulkRoute(maxInputs: number): RestRoute {
  return {
    path: '/v1/status/bulk',
    method: 'POST',
    operation: statusOperation,
    patience: 'streamed',
    read: async ({ request }) => prepare(readBulk(await readJsonBody(request), maxInputs)),
  };
}

function prepare({ inputs, namesParam, maxAge }: Bulk): Prepared {
  return {
    namesParam,
    variables: { domains: inputs, maxAge },
    body(data, latencyMs) {
      const byDomain = new Map((data as { domains: readonly Row[] }).domains.map((row) => [row.domain, row]));
      const rows = inputs.flatMap((input, index) => {
        const row = byDomain.get(askedEntry(input).domain);
        return row ? [{ index, input, ...row }] : [];
      });
      return { results: rows.map(rowBody), cached: allCached(rows), latency_ms: latencyMs, meta: tally(rows) };
    },
  };
}
