import { trace, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { Doors } from '../http/doors.ts';
import type { Client } from '../rdap/client.ts';
import { LookupSpans } from './lookup-spans.ts';
import { tracedClient } from './traced-client.ts';
import { tracedDoors } from './traced-doors.ts';

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

  /** Returns doors that make a span for each request, in the trace that its `traceparent` names. */
  doors(doors: Doors): Doors {
    return tracedDoors(doors, this.#tracer);
  }

  /** Returns a client that makes a span for each exchange. */
  client(client: Client): Client {
    return tracedClient(client, this.#tracer);
  }
}
