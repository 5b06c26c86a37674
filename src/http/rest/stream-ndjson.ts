import { subscribe, type ExecutionResult } from 'graphql';
import type { Cost } from '../../accounts/credits.ts';
import type { Context } from '../../context.ts';
import { Problem } from '../../domain/problems.ts';
import type { BulkInput } from './bulk/inputs.ts';
import type { HttpRequestContext, HttpResponse } from '../http-request-context.ts';
import { initialCostHeaders } from '../response/credit-headers.ts';
import { ndjsonLines, ndjsonMediaType } from './ndjson.ts';
import type { Operation } from '../graphql/operation/operation.ts';
import type { RestRow } from './rows.ts';

/** A call whose rows are sent as lines. */
export interface NdjsonOptions {
  readonly inputs: readonly BulkInput[];
  /** Milliseconds after which rows that are not known are sent as pending. */
  readonly budgetMs: number | undefined;
  /** Returns the last line's `meta`, from all rows and the duration of the call. */
  meta(rows: readonly RestRow[], durationMs: number): object;
}

/** A call that was read and admitted. */
interface RunningOperation {
  readonly operation: Operation;
  readonly context: Context;
  readonly request: HttpRequestContext;
  /** Returns for how long the call has been running, in whole milliseconds. */
  readonly durationMs: () => number;
}

/** Runs the saved subscription and sends its rows as NDJSON. */
export async function streamNdjson(
  { inputs, meta }: NdjsonOptions,
  { operation, context, request, durationMs }: RunningOperation,
): Promise<HttpResponse> {
  const { meter } = context;
  const events = await subscribe({ ...operation, contextValue: context });
  if (!(Symbol.asyncIterator in events))
    throw events.errors?.[0]?.originalError ?? new Error('the saved subscription failed');
  if (meter) Object.assign(request.responseHeaders, initialCostHeaders(await meter.currentCost()));
  const metaWithCredits = async (rows: readonly RestRow[]) => ({
    ...meta(rows, durationMs()),
    ...creditsOf(await meter?.settle('completed')),
  });
  const body = ndjsonLines(inputs, rowsOf(events), metaWithCredits);
  return {
    status: 200,
    headers: { 'content-type': ndjsonMediaType, 'cache-control': 'no-store' },
    body,
  };
}

async function* rowsOf(
  events: AsyncIterable<ExecutionResult>,
): AsyncGenerator<RestRow, void, void> {
  for await (const { data, errors } of events) {
    if (errors?.[0])
      throw (
        errors[0].originalError ?? new Problem('internal', 'The gateway failed; try again later.')
      );
    yield (data as { availability: RestRow }).availability;
  }
}

function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}
