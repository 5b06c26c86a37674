import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
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
import type { HttpRequestContext, HttpResponse, Router } from '../server/http-request-context.ts';
import { asProblem } from '../server/messages/problem-response.ts';
import type { HttpClient } from '../outbound/client.ts';

/**
 * Creates spans through the OpenTelemetry API; without an SDK, they cost almost nothing. No span
 * contains a domain name, a URL, a key or a caller's address.
 */
export class Tracing {
  readonly #tracer = trace.getTracer('rdap-graphql-gateway');
  readonly #clock: Clock;
  /**
   * The cache and DataLoader process names in batches, so the span of a name is not active when its
   * request is sent.
   */
  readonly #contexts = new WeakMap<Query, Context>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns a router that creates a span for each request, until the end of its response, as part of
   * the trace in its `traceparent` header.
   */
  router(router: Router): Router {
    return {
      ...router,
      handle: (http) => {
        const { request, path } = http;
        const { method = '' } = request;
        const route = router.routeOf(path);
        const parent = propagation.extract(context.active(), request.headers);
        const attributes = {
          'http.request.method': method,
          ...(route !== undefined && { 'http.route': route }),
        };
        const span = this.#tracer.startSpan(
          route === undefined ? method : `${method} ${route}`,
          { kind: SpanKind.SERVER, attributes },
          parent,
        );

        // Without an SDK and a trace of the caller, there is nothing to pass on.
        if (!isSpanContextValid(span.spanContext())) return router.handle(http);

        const traceContext = trace.setSpan(parent, span);
        return context.with(traceContext, () =>
          span.isRecording()
            ? handleWithSpan(router, http, span, traceContext)
            : router.handle(http),
        );
      },
    };
  }

  /**
   * Returns a source that creates a span for each query of a server, for protocols without an HTTP
   * client. The span has neither the name nor the server.
   */
  source(source: Source, kind: SourceKind): Source {
    const lookup: Source['lookup'] = async (query, request) => {
      const span = this.#tracer.startSpan(`${kind.toUpperCase()} query`, { kind: SpanKind.CLIENT });
      const answer = await within(span, () => source.lookup(query, request));
      const { failure } = answer.provenance;
      if (failure) fail(span, failure);
      span.end();
      return answer;
    };
    return {
      id: source.id,
      lookup: (query, request) =>
        isTraced() ? lookup(query, request) : source.lookup(query, request),
    };
  }

  /**
   * Returns a client that creates a span for each request, including its redirects. The span has the
   * host but not the URL, which contains a name.
   */
  client(client: HttpClient): HttpClient {
    const get: HttpClient['get'] = async (url, headers, timeoutMs, options) => {
      const { hostname, port, protocol } = new URL(url);
      const attributes = {
        'http.request.method': 'GET',
        'server.address': hostname,
        'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      };
      const span = this.#tracer.startSpan('GET', { kind: SpanKind.CLIENT, attributes });
      const outcome = await within(span, () => client.get(url, headers, timeoutMs, options));
      if ('problem' in outcome) fail(span, outcome.failure);
      else {
        const { status } = outcome;
        span.setAttribute('http.response.status_code', status);
        // A 404 is the regular response for an unregistered name.
        if (status >= 400 && status !== 404) fail(span, String(status));
      }

      span.end();
      return outcome;
    };
    return { get: (...args) => (isTraced() ? get(...args) : client.get(...args)) };
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

async function handleWithSpan(
  router: Router,
  http: HttpRequestContext,
  span: Span,
  traceContext: Context,
): Promise<HttpResponse> {
  http.onResponseEnd(() => span.end());
  const describe = (status: number, code: string | undefined) => {
    span.setAttributes({ ...graphqlAttributes(http), 'http.response.status_code': status });
    if (code !== undefined) span.setAttribute('error.type', code);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  };

  try {
    const response = await router.handle(http);
    const { body } = response;
    describe(response.status, response.code);

    // The parts of a stream are generated after the router has returned.
    if (typeof body === 'object' && Symbol.asyncIterator in body)
      body.next = context.bind(traceContext, body.next.bind(body));
    return response;
  } catch (error) {
    const { status, code } = asProblem(error);
    describe(status, code);
    throw error;
  }
}

/** The names of the attributes are those of the semantic conventions of OpenTelemetry. */
function graphqlAttributes({ graphql }: HttpRequestContext): Attributes {
  if (!graphql) return {};
  const { type, name } = graphql;
  return {
    'graphql.operation.type': type,
    ...(name !== undefined && { 'graphql.operation.name': name }),
  };
}

function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

function within<T>(span: Span, run: () => T): T {
  return context.with(trace.setSpan(context.active(), span), run);
}

/** Ends the span of a lookup. Returns its answer. */
function end<T>(span: Span, query: Query, answer: Answer<T>): Answer<T> {
  const { data, problem, provenance } = answer;
  const { verdict = 'UNKNOWN' } = (data ?? {}) as Partial<NameData>;
  if ('name' in query) span.setAttribute('gateway.verdict', verdict);
  span.setAttributes({ 'gateway.cached': provenance.cached, 'gateway.stale': provenance.stale });
  if (problem) fail(span, problem.code);
  span.end();

  return answer;
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}
