import { parse, subscribe, type ExecutionResult, type GraphQLSchema } from 'graphql';
import type { Cost } from '../accounts/credits.ts';
import type { Context } from '../context.ts';
import { Problem } from '../problems.ts';
import type { Input } from './bulk-inputs.ts';
import type { Call, Reply } from './call.ts';
import { openingCostHeaders } from './credit-headers.ts';
import { ndjson, ndjsonType } from './ndjson.ts';
import { linesOperation } from './operations.ts';
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
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
  readonly call: Call;
  /** Returns for how long the call has been running, in whole milliseconds. */
  readonly durationMs: () => number;
}

type StreamLines = (lines: Lines, open: OpenCall) => Promise<Reply>;

/** Runs the saved subscription and sends its rows as NDJSON. */
export function lineStreamer(schema: GraphQLSchema): StreamLines {
  const document = parse(linesOperation);
  return async ({ inputs, budgetMs, meta }, { variables: variableValues, context, call, durationMs }) => {
    const { meter } = context;
    const contextValue = budgetMs === undefined ? context : withBudget(context, budgetMs);
    const events = await subscribe({ schema, document, variableValues, contextValue });
    if (!(Symbol.asyncIterator in events)) throw events.errors?.[0]?.originalError ?? new Error('the saved subscription failed');
    if (meter) Object.assign(call.answerHeaders, openingCostHeaders(await meter.soFar()));
    const withCredits = async (rows: readonly Row[]) => ({ ...meta(rows, durationMs()), ...creditsOf(await meter?.settle('whole')) });
    const body = ndjson(inputs, rowsOf(events), withCredits);
    return { status: 200, headers: { 'content-type': ndjsonType, 'cache-control': 'no-store' }, body };
  };
}

/** The same context for a subscription, which has no argument for a time budget. */
function withBudget(context: Context, budgetMs: number): Context {
  const { lookup } = context;
  return { ...context, lookup: { ...lookup, asKnown: (search) => lookup.asKnown({ ...search, budgetMs }) } };
}

async function* rowsOf(events: AsyncIterable<ExecutionResult>): AsyncGenerator<Row, void, void> {
  for await (const { data, errors } of events) {
    if (errors?.[0]) throw errors[0].originalError ?? new Problem('internal', 'The gateway failed; try again later.');
    yield (data as { availability: Row }).availability;
  }
}

function creditsOf(cost: Cost | undefined): { credits?: Cost } {
  return cost ? { credits: cost } : {};
}
