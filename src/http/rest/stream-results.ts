import { subscribe, type ExecutionResult } from 'graphql';
import type { Cost } from '../../accounts/credits.ts';
import type { Context } from '../../execution/context.ts';
import type { BulkInput } from './bulk-inputs.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { initialCostHeaders } from '../messages/credit-headers.ts';
import { asProblem } from '../messages/problem-response.ts';
import { resultLines, type LineFormat } from './result-lines.ts';
import type { Operation } from '../../execution/operation.ts';
import type { RestRow } from './rows.ts';

/** How to stream the results of a bulk call. */
export interface StreamOptions {
  readonly format: LineFormat;
  readonly inputs: readonly BulkInput[];
  /** Milliseconds after which rows without a result are sent as pending. */
  readonly budgetMs: number | undefined;
  /** Returns the totals of all rows, from the duration of the call too. */
  meta(rows: readonly RestRow[], durationMs: number): object;
}

/** An operation that has been parsed and whose credits are reserved. */
interface RunningStream {
  readonly operation: Operation;
  readonly context: Context;
  readonly request: HttpRequestContext;
  /** Returns the time since the start of the call, in whole milliseconds. */
  readonly durationMs: () => number;
}

/** Runs the saved subscription and streams its rows, one per line. */
export async function streamResults(
  { format, inputs, meta }: StreamOptions,
  { operation, context, request, durationMs }: RunningStream,
): Promise<HttpResponse> {
  const { meter } = context;
  const events = await subscribe({ ...operation, contextValue: context });
  if (!(Symbol.asyncIterator in events))
    throw events.errors?.[0]?.originalError ?? new Error('The saved subscription failed.');
  if (meter) Object.assign(request.responseHeaders, initialCostHeaders(await meter.currentCost()));
  const metaWithCredits = async (rows: readonly RestRow[]) => ({
    ...meta(rows, durationMs()),
    ...creditsOf(await meter?.settle('completed')),
  });
  const body = resultLines(format, inputs, rowsOf(events), metaWithCredits);
  return {
    status: 200,
    headers: { 'content-type': format.contentType, 'cache-control': 'no-store' },
    body,
  };
}

async function* rowsOf(
  events: AsyncIterable<ExecutionResult>,
): AsyncGenerator<RestRow, void, void> {
  for await (const { data, errors } of events) {
    if (errors?.[0]) throw errors[0].originalError ?? asProblem(errors[0]);
    yield (data as { availability: RestRow }).availability;
  }
}

function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}
