import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { HttpClient, RequestFailure, RegistryResponse } from '../sources/rdap/http/client.ts';

/** The same client, with a span for each exchange, its redirects included. Where it leads is said, not what it asks: a name stands in the URL. */
export function tracedClient(client: HttpClient, tracer: Tracer): HttpClient {
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
  // "Not found" is how a registry says that a name is free.
  if (status >= 400 && status !== 404) fail(span, String(status));
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}
