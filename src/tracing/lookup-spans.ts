import {
  context,
  SpanStatusCode,
  trace,
  SpanKind,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { Answer, NameData, SourceKind } from '../domain/answer.ts';
import {
  keyOf,
  type AttemptRequest,
  type Query,
  type ReadCache,
  type Source,
} from '../domain/source.ts';

/** Creates a span for each name that is looked up or read from the cache. */
export class LookupSpans {
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  /**
   * The cache and DataLoader process names in batches, so the span of a name is not active when its
   * request is sent.
   */
  readonly #contexts = new WeakMap<Query, Context>();

  constructor(tracer: Tracer, clock: Clock) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  /** Returns the lookup of a source with a cache, which creates a span for each query. */
  lookups<Q extends Query, T>(source: Source<Q, T>): Source<Q, T>['lookup'] {
    return (query, request) =>
      isTraced() ? this.#lookUp(source, query, request) : source.lookup(query, request);
  }

  /** Returns a cache read that creates a span for each query answered from the cache. */
  cacheReads<Q extends Query, T>(readCache: ReadCache<Q, T>): ReadCache<Q, T> {
    return (queries) => (isTraced() ? this.#readCache(readCache, queries) : readCache(queries));
  }

  /** Returns a source, below the cache, whose spans are children of the span of their query. */
  withinLookups<Q extends Query, T>(source: Source<Q, T>): Source<Q, T> {
    return {
      id: source.id,
      lookup: (query, request) => {
        const traceContext = this.#contexts.get(query);
        return traceContext
          ? context.with(traceContext, () => source.lookup(query, request))
          : source.lookup(query, request);
      },
    };
  }

  async #lookUp<Q extends Query, T>(
    source: Source<Q, T>,
    query: Q,
    request: AttemptRequest,
  ): Promise<Answer<T>> {
    const span = this.#startSpan(query);
    this.#contexts.set(query, trace.setSpan(context.active(), span));
    return end(span, query, await source.lookup(query, request));
  }

  async #readCache<Q extends Query, T>(
    readCache: ReadCache<Q, T>,
    queries: readonly Q[],
  ): ReturnType<ReadCache<Q, T>> {
    const startedAt = this.#clock.now();
    const reads = await readCache(queries);
    for (const query of queries) {
      const answer = reads.get(keyOf(query))?.answer;
      if (answer) end(this.#startSpan(query, startedAt), query, answer);
    }
    return reads;
  }

  #startSpan(query: Query, startTime = this.#clock.now()): Span {
    const attributes =
      'name' in query ? { 'gateway.tld': query.name.suffix } : { 'gateway.object': query.ref.type };
    return this.#tracer.startSpan('lookup', { startTime, attributes });
  }
}

function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

function end<T>(span: Span, query: Query, answer: Answer<T>): Answer<T> {
  const { data, problem, provenance } = answer;
  if ('name' in query) span.setAttribute('gateway.verdict', verdictOf(data));
  span.setAttributes({ 'gateway.cached': provenance.cached, 'gateway.stale': provenance.stale });
  if (problem)
    span.setAttribute('error.type', problem.code).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  return answer;
}

function verdictOf(data: unknown): string {
  return (data as NameData | undefined)?.verdict ?? 'UNKNOWN';
}

/**
 * Returns a source that creates a span for each query, for protocols without an HTTP client. The
 * span has neither the name nor the server.
 */
export function tracedSource(source: Source, kind: SourceKind, tracer: Tracer): Source {
  const lookup: Source['lookup'] = async (query, request) => {
    const span = tracer.startSpan(`${kind.toUpperCase()} query`, { kind: SpanKind.CLIENT });
    const traceContext = trace.setSpan(context.active(), span);
    const answer = await context.with(traceContext, () => source.lookup(query, request));
    const { failure } = answer.provenance;
    if (failure) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return answer;
  };
  return {
    id: source.id,
    lookup: (query, request) =>
      trace.getActiveSpan()?.isRecording() ? lookup(query, request) : source.lookup(query, request),
  };
}
