import type { Cost } from '../../accounts/account.ts';
import { dataOf, type Stream } from '../../execution/result.ts';
import type { BulkInput } from './bulk-inputs.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { initialCostHeaders } from '../messages/run-response.ts';
import { resultLines, type LineFormat } from './result-lines.ts';
import type { RestRow } from './rows.ts';

/** How to stream the results of a bulk call. */
export interface StreamOptions {
  readonly format: LineFormat;
  readonly inputs: readonly BulkInput[];
  /** Milliseconds after which rows without a result are sent as pending. */
  readonly budgetMs: number | undefined;
  /** Returns the totals of all rows, from the duration of the call in whole milliseconds too. */
  meta(rows: readonly RestRow[], durationMs: number): object;
}

/** Returns a response with the rows of a stream, one per line. */
export function streamedRows(
  { format, inputs, meta }: StreamOptions,
  { parts, initialCost, cost }: Stream,
  { responseHeaders }: HttpRequestContext,
  durationMs: () => number,
): HttpResponse {
  if (initialCost) Object.assign(responseHeaders, initialCostHeaders(initialCost));
  const metaWithCredits = async (rows: readonly RestRow[]) => ({
    ...meta(rows, durationMs()),
    ...creditsOf(await cost()),
  });
  return {
    status: 200,
    headers: { 'content-type': format.contentType, 'cache-control': 'no-store' },
    body: resultLines(format, inputs, rowsOf(parts), metaWithCredits),
  };
}

/** Yields the rows of the saved subscription. Throws the errors of its events. */
export async function* rowsOf(parts: Stream['parts']): AsyncGenerator<RestRow, void, void> {
  for await (const part of parts) yield (dataOf(part) as { availability: RestRow }).availability;
}

function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}
