import {
  trace,
  context,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  type Span,
} from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { Router } from '../http/http-request-context.ts';
import type { HttpClient, RequestFailure, RegistryResponse } from '../outbound/client.ts';
import type { SourceKind } from '../domain/answer.ts';
import type { Source } from '../domain/source.ts';
import { LookupSpans, tracedSource } from './lookup-spans.ts';
import { tracedRouter } from './traced-router.ts';

/**
 * Creates spans through the OpenTelemetry API; without an SDK, they cost almost nothing. No span
 * contains a domain name, a URL, a key or a caller's address.
 */
export class Tracing extends LookupSpans {
  readonly #tracer: Tracer;

  constructor(clock: Clock) {
    const tracer = trace.getTracer('rdap-graphql-gateway');
    super(tracer, clock);
    this.#tracer = tracer;
  }

  /**
   * Returns a router that creates a span for each request, as part of the trace in its
   * `traceparent` header.
   */
  router(router: Router): Router {
    return tracedRouter(router, this.#tracer);
  }

  /** Returns a source that creates a span for each query of a server. */
  source(source: Source, kind: SourceKind): Source {
    return tracedSource(source, kind, this.#tracer);
  }

  /** Returns a client that creates a span for each request. */
  client(client: HttpClient): HttpClient {
    return tracedClient(client, this.#tracer);
  }
}

/**
 * Returns a client that creates a span for each request, including its redirects. The span has the
 * host but not the URL, which contains a name.
 */
function tracedClient(client: HttpClient, tracer: Tracer): HttpClient {
  const get: HttpClient['get'] = async (url, headers, timeoutMs, options) => {
    const { hostname, port, protocol } = new URL(url);
    const attributes = {
      'http.request.method': 'GET',
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    };
    const span = tracer.startSpan('GET', { kind: SpanKind.CLIENT, attributes });
    const outcome = await context.with(trace.setSpan(context.active(), span), () =>
      client.get(url, headers, timeoutMs, options),
    );
    describe(span, outcome);
    span.end();
    return outcome;
  };
  return {
    get: (...args) => (trace.getActiveSpan()?.isRecording() ? get(...args) : client.get(...args)),
  };
}

function describe(span: Span, outcome: RegistryResponse | RequestFailure): void {
  if ('problem' in outcome) return fail(span, outcome.failure);
  const { status } = outcome;
  span.setAttribute('http.response.status_code', status);
  // A 404 is the regular response for an unregistered name.
  if (status >= 400 && status !== 404) fail(span, String(status));
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}
