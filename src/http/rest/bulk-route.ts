import type { IdempotencyKeys } from '../../accounts/idempotency.ts';
import { workMs } from '../../accounts/work-limit.ts';
import { findUsedAliases, deprecationHeaders, type UsedAlias } from '../messages/deprecations.ts';
import { readJsonBody } from '../messages/body.ts';
import { readBulk, readInputs } from './bulk-body.ts';
import { resultOf, type BulkInput } from './bulk-inputs.ts';
import type { AuthenticatedRequest } from '../http-request-context.ts';
import {
  readIdempotencyKey,
  idempotencyRecordOpener,
  keyUseOf,
  type OpenIdempotencyRecord,
} from './idempotency-key.ts';
import { requestsSnakeCase } from './key-naming.ts';
import { preferredMediaType } from '../messages/media-types.ts';
import { lineFormats } from './result-lines.ts';
import { statusOperation } from './saved-operations.ts';
import { collectProblems } from '../messages/collect-problems.ts';
import type { StreamOptions } from './stream-results.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import { allCached, rowBody, tally, type RestRow } from './rows.ts';
import type { TimeSlices } from '../../execution/time-slices.ts';

export interface BulkOptions {
  /** Maximum number of inputs in one call. */
  readonly maxInputs: number;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly docsUrl: () => string;
  readonly countAliases: (usedAliases: readonly UsedAlias[], caller: string) => void;
  readonly slices: TimeSlices;
}

const path = '/v1/status/bulk';

/**
 * `POST /v1/status/bulk`: one result per input, in input order, or streamed as NDJSON or CSV. Equal names
 * are looked up once.
 */
export function bulkRoute(options: BulkOptions): RestRoute {
  const openIdempotencyRecord = idempotencyRecordOpener(options.idempotencyKeys);
  return {
    path,
    method: 'POST',
    operation: statusOperation,
    responseMode: 'streaming',
    parse: (http) => parseRequest(http, options, openIdempotencyRecord),
  };
}

async function parseRequest(
  http: AuthenticatedRequest,
  options: BulkOptions,
  openIdempotencyRecord: OpenIdempotencyRecord,
): Promise<ParsedRestRequest> {
  const { maxInputs, slices } = options;
  const requestBody = await readJsonBody(http.request);
  const usedAliases = reportAliases(requestBody, http, options);
  const { unparsed, key, hasSnakeCaseKeys } = collectProblems({
    unparsed: () => readBulk(requestBody, maxInputs, usedAliases),
    key: () => readIdempotencyKey(http.request.headers),
    hasSnakeCaseKeys: () => requestsSnakeCase(http.query, http.request.headers),
  });
  http.work.spend(workMs.names(unparsed.inputs.length));
  const bulk = await readInputs(unparsed, slices);
  const { inputs, namesParam, maxAge, confirm, budgetMs } = bulk;
  const metaOf = (rows: readonly RestRow[], durationMs: number) =>
    tally(rows, { durationMs, hasBudget: budgetMs !== undefined });
  const mediaType = preferredMediaType(['application/json', ...Object.keys(lineFormats)], http);
  const format = lineFormats[mediaType];
  return {
    namesParam,
    variables: { domains: inputs.map(({ entry }) => entry), maxAge, confirm, budgetMs },
    hasSnakeCaseKeys,
    body: (data, durationMs) => createBody(resultsOf(data, inputs), durationMs, metaOf),
    openIdempotencyRecord:
      key === undefined
        ? undefined
        : () => openIdempotencyRecord(keyUseOf(key, bulk, http.account)),
    stream: format && { format, inputs, budgetMs, meta: metaOf },
  };
}

/**
 * Counts the deprecated aliases in the query and the body, adds the response headers for them, and
 * returns them.
 */
function reportAliases(
  requestBody: unknown,
  http: AuthenticatedRequest,
  { docsUrl, countAliases }: BulkOptions,
): readonly UsedAlias[] {
  const usedAliases = findUsedAliases(path, http.query, requestBody);
  if (usedAliases.length > 0) Object.assign(http.responseHeaders, deprecationHeaders(docsUrl()));
  countAliases(usedAliases, http.account);
  return usedAliases;
}

type BulkResult = ReturnType<typeof resultOf>;

/** Returns a result for each input, in input order. */
function resultsOf(data: unknown, inputs: readonly BulkInput[]): readonly BulkResult[] {
  const byDomain = new Map(
    (data as { domains: readonly RestRow[] }).domains.map((row) => [row.domain, row]),
  );
  return inputs.flatMap((input, index) => {
    const row = byDomain.get(input.entry);
    return row ? [resultOf(row, input, index)] : [];
  });
}

function createBody(
  rows: readonly BulkResult[],
  durationMs: number,
  metaOf: StreamOptions['meta'],
): ReturnType<ParsedRestRequest['body']> {
  return {
    body: {
      results: rows.map(rowBody),
      cached: allCached(rows),
      latency_ms: durationMs,
      meta: metaOf(rows, durationMs),
    },
  };
}
