import { trace, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { Router } from '../http/server/request-handler.ts';
import type { HttpClient } from '../outbound/client.ts';
import type { Source, SourceKind } from '../domain/source.ts';
import { LookupSpans } from './lookup-spans.ts';
import { tracedClient } from './traced-client.ts';
import { tracedSource } from './traced-source.ts';
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
