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
import { splitName } from '../domain/domain-name.ts';
import type {
  Answer,
  LookupQuery,
  ReadCache,
  Registry,
  Source,
  SourceKind,
} from '../domain/source.ts';

/** Creates a span for each name that is looked up or read from the cache. */
export class LookupSpans {
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  /**
   * The cache and DataLoader process names in batches, so the span of a name is not active when its
   * request is sent.
   */
  readonly #contexts = new WeakMap<LookupQuery, Context>();

  constructor(tracer: Tracer, clock: Clock) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  /** Returns a cached registry that creates a span for each name. */
  lookups(registry: Registry): Registry {
    return {
      ...registry,
      lookup: (queries, request) =>
        isTraced() ? this.#lookUp(registry, queries, request) : registry.lookup(queries, request),
    };
  }

  /** Returns a cache read that creates a span for each name answered from the cache. */
  cacheReads(readCache: ReadCache): ReadCache {
    return (queries) => (isTraced() ? this.#readCache(readCache, queries) : readCache(queries));
  }

  /** Returns a source, below the cache, whose spans are children of the span of their name. */
  withinLookups(source: Source): Source {
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

  #lookUp(
    registry: Registry,
    ...[queries, request]: Parameters<Registry['lookup']>
  ): readonly Promise<Answer>[] {
    const spans = queries.map((query) => {
      const span = this.#startSpan(query);
      this.#contexts.set(query, trace.setSpan(context.active(), span));
      return span;
    });
    return registry
      .lookup(queries, request)
      .map(async (answer, index) => end(spans[index], await answer));
  }

  async #readCache(readCache: ReadCache, queries: readonly LookupQuery[]): ReturnType<ReadCache> {
    const startedAt = this.#clock.now();
    const reads = await readCache(queries);
    for (const query of queries) {
      const read = reads.get(query.name);
      if (read && 'answer' in read) end(this.#startSpan(query, startedAt), read.answer);
    }
    return reads;
  }

  #startSpan({ name }: LookupQuery, startTime = this.#clock.now()): Span {
    return this.#tracer.startSpan('lookup', {
      startTime,
      attributes: { 'gateway.tld': splitName(name).suffix },
    });
  }
}

function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

function end(span: Span | undefined, answer: Answer): Answer {
  const { verdict, problem } = answer.result;
  const { cached, stale } = answer.provenance;
  span?.setAttributes({
    'gateway.verdict': verdict,
    'gateway.cached': cached,
    'gateway.stale': stale,
  });
  if (problem)
    span?.setAttribute('error.type', problem.code).setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
  return answer;
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
