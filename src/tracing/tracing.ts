import { trace } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { Doors } from '../http/doors.ts';
import type { Client } from '../rdap/client.ts';
import { tracedClient } from './traced-client.ts';
import { tracedDoors } from './traced-doors.ts';
import { tracedRegistries, type TracedRegistries } from './traced-registries.ts';

/**
 * Spans for an operator who brings an OpenTelemetry SDK; without one they cost next to nothing. No span holds a domain name, a URL, a key or an
 * address of a caller.
 */
export interface Tracing extends TracedRegistries {
  /** A span for each request, in the trace that its `traceparent` names. */
  doors(doors: Doors): Doors;
  /** A span for each exchange. */
  client(client: Client): Client;
}

export function createTracing(clock: Clock): Tracing {
  const tracer = trace.getTracer('rdap-graphql-gateway');
  return {
    doors: (doors) => tracedDoors(doors, tracer),
    client: (client) => tracedClient(client, tracer),
    ...tracedRegistries(tracer, clock),
  };
}
