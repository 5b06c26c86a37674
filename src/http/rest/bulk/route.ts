import Negotiator from 'negotiator';
import type { IdempotencyKeys } from '../../../accounts/idempotency.ts';
import { aliasesUsed, deprecationHeaders, type UsedAlias } from '../../response/deprecations.ts';
import { readJsonBody } from '../../request/body.ts';
import { readBulk, readInputs } from './body.ts';
import { resultOf, type Input } from './inputs.ts';
import type { AdmittedCall } from '../../call.ts';
import { readIdempotencyKey, receiptOpener, useOf, type OpenReceipt } from './idempotency-key.ts';
import type { DeprecationUsage } from '../../middleware/deprecation-usage.ts';
import { wantsSnake } from '../key-naming.ts';
import { ndjsonType } from '../ndjson.ts';
import { statusOperation } from '../saved-operations.ts';
import { readAll } from '../../request/collect-problems.ts';
import type { Lines } from '../line-stream.ts';
import type { Prepared, RestRoute } from '../rest-route.ts';
import { allCached, rowBody, tally, type Row } from '../rows.ts';
import type { TimeSlices } from '../../request/time-slices.ts';

export interface BulkOptions {
  /** Results of one call. */
  readonly maxInputs: number;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly docsUrl: () => string;
  readonly countAliases: DeprecationUsage['count'];
  readonly slices: TimeSlices;
}

const path = '/v1/status/bulk';

/** `POST /v1/status/bulk`: one result per input, in input order, or as lines, each as it is known; equal names are looked up once. */
export function bulkRoute(options: BulkOptions): RestRoute {
  const openReceipt = receiptOpener(options.idempotencyKeys);
  return {
    path,
    method: 'POST',
    operation: statusOperation,
    patience: 'streamed',
    read: (call) => read(call, options, openReceipt),
  };
}

async function read(
  call: AdmittedCall,
  options: BulkOptions,
  openReceipt: OpenReceipt,
): Promise<Prepared> {
  const { maxInputs, slices } = options;
  const sent = await readJsonBody(call.request);
  const used = reportAliases(sent, call, options);
  const { unread, key, snake } = readAll({
    unread: () => readBulk(sent, maxInputs, used),
    key: () => readIdempotencyKey(call.request.headers),
    snake: () => wantsSnake(call.query, call.request.headers),
  });
  call.work.spend(unread.inputs.length);
  const bulk = await readInputs(unread, slices);
  const { inputs, namesParam, maxAge, budgetMs } = bulk;
  const metaOf = (rows: readonly Row[], durationMs: number) =>
    tally(rows, { durationMs, hasBudget: budgetMs !== undefined });
  const asLines =
    new Negotiator(call.request).mediaType(['application/json', ndjsonType]) === ndjsonType;
  return {
    namesParam,
    variables: { domains: inputs.map(({ entry }) => entry), maxAge, budgetMs },
    snake,
    body: (data, durationMs) => bodyOf(resultsOf(data, inputs), durationMs, metaOf),
    openReceipt: key === undefined ? undefined : () => openReceipt(useOf(key, bulk, call.account)),
    lines: asLines ? { inputs, budgetMs, meta: metaOf } : undefined,
  };
}

/** Returns the deprecated aliases in the body and the query, which the response names from now on. */
function reportAliases(
  sent: unknown,
  call: AdmittedCall,
  { docsUrl, countAliases }: BulkOptions,
): readonly UsedAlias[] {
  const used = aliasesUsed(path, call.query, sent);
  if (used.length > 0) Object.assign(call.answerHeaders, deprecationHeaders(docsUrl()));
  countAliases(used, call.account);
  return used;
}

type Result = ReturnType<typeof resultOf>;

/** Returns a result for each input, in input order. */
function resultsOf(data: unknown, inputs: readonly Input[]): readonly Result[] {
  const byDomain = new Map(
    (data as { domains: readonly Row[] }).domains.map((row) => [row.domain, row]),
  );
  return inputs.flatMap((input, index) => {
    const row = byDomain.get(input.entry);
    return row ? [resultOf(row, input, index)] : [];
  });
}

function bodyOf(
  rows: readonly Result[],
  durationMs: number,
  metaOf: Lines['meta'],
): ReturnType<Prepared['body']> {
  return {
    rows,
    body: {
      results: rows.map(rowBody),
      cached: allCached(rows),
      latency_ms: durationMs,
      meta: metaOf(rows, durationMs),
    },
  };
}
