import type { Clock } from '../../clock.ts';
import type { Context } from '../../context.ts';
import type { Log } from '../../log.ts';
import type { FieldLookup } from '../../lookup/lookup-plan.ts';
import { Problem, problems } from '../../domain/problems.ts';
import type { Tagger } from '../response/etag.ts';
import type { AdmittedCall, Call, Reply } from '../call.ts';
import { conclude, type Conclusion } from '../response/completion-headers.ts';
import { openingCostHeaders } from '../response/credit-headers.ts';
import { mostErrors } from './operation/documents.ts';
import { cachingHeaders } from './caching.ts';
import { renderError } from './errors.ts';
import { costed, notModified, wholeReply, type CachingHeaders, type Result } from './response.ts';
import { streamedReply, type StreamedResult } from './streams.ts';
import { eventStream, negotiated, type Shape } from '../request/media-types.ts';
import type { Operation } from './operation/operation.ts';
import { refunding } from '../response/refund-on-error.ts';
import { responseJson } from './response-json.ts';

/** What the executor yields: a whole result, or a part of one. */
export interface RawResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[] | undefined;
  readonly hasNext?: boolean;
  readonly incremental?: readonly RawResult[];
  /** In the newer format of `@defer`: what has come to its end, with the errors of what failed. */
  readonly completed?: readonly RawResult[];
}

/** The operation that a result is of; without a context, nothing ran. */
export interface Execution {
  shape: Shape;
  context?: Context;
  operation?: Operation;
  lookups?: readonly FieldLookup[];
}

export interface ResultOptions {
  readonly tagOf: Tagger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Charges for a result in one piece, and returns the response. A 304 costs nothing where no registry was queried. */
export async function wholeOf(
  raw: RawResult,
  execution: Execution,
  call: AdmittedCall,
  options: ResultOptions,
): Promise<Reply> {
  const { context } = execution;
  const result = render(raw, call, options.log);
  // Written before it is charged: an answer may be longer than a text can be.
  const text = await refunding(context?.meter, call, async () => responseJson(result));
  const caching = cachingOf(result, text, execution, call, options);
  const { isUnchanged, cost } = context ? await conclude(caching?.etag, context, call) : nothingRan;
  if (caching && isUnchanged) return notModified(caching);
  const code = result.errors?.[0]?.extensions.code;
  const reply = wholeReply(
    result,
    costed(text, cost),
    code === undefined ? 200 : problems[code].status,
    call,
    caching,
  );
  return code === undefined ? reply : { ...reply, code };
}

const nothingRan: Conclusion = { isUnchanged: false, cost: undefined };

/** Undefined for what is not to be cached. */
function cachingOf(
  { errors }: Result,
  text: string,
  { context, operation, lookups }: Execution,
  call: AdmittedCall,
  { tagOf, clock }: ResultOptions,
): CachingHeaders | undefined {
  if (
    call.method !== 'GET' ||
    errors ||
    !context ||
    !operation ||
    !lookups ||
    negotiated('whole', call) === eventStream
  )
    return undefined;
  return cachingHeaders(
    { text, operation, lookups, outcomes: context.lookup.outcomes, payerId: call.payer?.id },
    tagOf,
    clock.now(),
  );
}

/** Returns the response that sends the results of a stream, which is settled before its last part is sent. */
export async function streamOf(
  raw: AsyncIterable<RawResult>,
  { shape, context }: Execution,
  call: Call,
  { log }: ResultOptions,
): Promise<Reply> {
  const meter = context?.meter;
  if (meter) Object.assign(call.answerHeaders, openingCostHeaders(await meter.soFar()));
  async function* results(): AsyncGenerator<StreamedResult, void, void> {
    try {
      for await (const part of raw) {
        for (const { text, isLast } of textsOf(part, call, log)) {
          const cost = isLast
            ? await meter?.settle('whole')
            : shape === 'subscription'
              ? await meter?.soFar()
              : undefined;
          yield { json: costed(text, cost) };
        }
      }
      await meter?.settle('whole');
    } catch (error) {
      yield { json: JSON.stringify({ errors: [renderError(error, call, log)] }), isFatal: true };
    }
  }
  return streamedReply(results(), negotiated(shape, call) ?? eventStream);
}

interface PartText {
  readonly text: string;
  readonly isLast: boolean;
}

/** Returns the JSON of a part; if it would be too long, as many records became known together, of parts with half of them each. */
function* textsOf(part: RawResult, call: Call, log: Log): Generator<PartText, void, void> {
  const { incremental = [], completed, hasNext, ...rest } = part;
  const half = Math.ceil(incremental.length / 2);
  const text = jsonUnlessTooLong(render(part, call, log), half < incremental.length);
  if (text !== undefined) return yield { text, isLast: hasNext === false };
  yield* textsOf({ ...rest, incremental: incremental.slice(0, half), hasNext: true }, call, log);
  yield* textsOf(
    {
      incremental: incremental.slice(half),
      ...(completed && { completed }),
      ...(hasNext !== undefined && { hasNext }),
    },
    call,
    log,
  );
}

/** Throws `query_too_large` for a result that cannot be split. */
function jsonUnlessTooLong(result: Result, canBeSplit: boolean): string | undefined {
  try {
    return responseJson(result);
  } catch (error) {
    if (canBeSplit && error instanceof Problem && error.code === 'query_too_large')
      return undefined;
    throw error;
  }
}

function render(
  { errors, incremental, completed, ...rest }: RawResult,
  call: Call,
  log: Log,
): Result {
  const rendered = (parts: readonly RawResult[]) => parts.map((part) => render(part, call, log));
  return {
    ...rest,
    ...(errors && {
      errors: errors.slice(0, mostErrors).map((error) => renderError(error, call, log)),
    }),
    ...(incremental && { incremental: rendered(incremental) }),
    ...(completed && { completed: rendered(completed) }),
  };
}
