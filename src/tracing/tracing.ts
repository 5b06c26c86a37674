import { trace, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { Router } from '../http/router.ts';
import type { HttpClient } from '../sources/rdap/http/client.ts';
import { LookupSpans } from './lookup-spans.ts';
import { tracedClient } from './traced-client.ts';
import { tracedRouter } from './traced-router.ts';

/**
 * Makes spans for an operator who brings an OpenTelemetry SDK; without one they cost next to nothing. No span holds a domain name, a URL, a
 * key or an address of a caller.
 */
export class Tracing extends LookupSpans {
  readonly #tracer: Tracer;

  constructor(clock: Clock) {
    const tracer = trace.getTracer('rdap-graphql-gateway');
    super(tracer, clock);
    this.#tracer = tracer;
  }

  /** Returns a router that makes a span for each request, in the trace that its `traceparent` names. */
  router(router: Router): Router {
    return tracedRouter(router, this.#tracer);
  }

  /** Returns a client that makes a span for each exchange. */
  client(client: HttpClient): HttpClient {
    return tracedClient(client, this.#tracer);
  }
}
