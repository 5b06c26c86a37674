import { subscribe, type ExecutionResult } from 'graphql';
import type { Cost } from '../../accounts/credits.ts';
import type { Context } from '../../context.ts';
import { Problem } from '../../domain/problems.ts';
import type { Input } from './bulk/inputs.ts';
import type { Call, Reply } from '../call.ts';
import { openingCostHeaders } from '../response/credit-headers.ts';
import { ndjson, ndjsonType } from './ndjson.ts';
import type { Operation } from '../graphql/operation/operation.ts';
import type { Row } from './rows.ts';

/** A call whose rows are sent as lines. */
export interface Lines {
  readonly inputs: readonly Input[];
  /** Milliseconds after which rows that are not known are sent as pending. */
  readonly budgetMs: number | undefined;
  /** Returns the last line's `meta`, from all rows and the duration of the call. */
  meta(rows: readonly Row[], durationMs: number): object;
}

/** A call that was read and admitted. */
interface OpenCall {
  readonly operation: Operation;
  readonly context: Context;
  readonly call: Call;
  /** Returns for how long the call has been running, in whole milliseconds. */
  readonly durationMs: () => number;
}

/** Runs the saved subscription and sends its rows as NDJSON. */
export async function streamLines(
  { inputs, meta }: Lines,
  { operation, context, call, durationMs }: OpenCall,
): Promise<Reply> {
  const { meter } = context;
  const events = await subscribe({ ...operation, contextValue: context });
  if (!(Symbol.asyncIterator in events))
    throw events.errors?.[0]?.originalError ?? new Error('the saved subscription failed');
  if (meter) Object.assign(call.answerHeaders, openingCostHeaders(await meter.soFar()));
  const withCredits = async (rows: readonly Row[]) => ({
    ...meta(rows, durationMs()),
    ...creditsOf(await meter?.settle('whole')),
  });
  const body = ndjson(inputs, rowsOf(events), withCredits);
  return {
    status: 200,
    headers: { 'content-type': ndjsonType, 'cache-control': 'no-store' },
    body,
  };
}

async function* rowsOf(events: AsyncIterable<ExecutionResult>): AsyncGenerator<Row, void, void> {
  for await (const { data, errors } of events) {
    if (errors?.[0])
      throw (
        errors[0].originalError ?? new Problem('internal', 'The gateway failed; try again later.')
      );
    yield (data as { availability: Row }).availability;
  }
}

function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}
