import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { HttpClient, RequestFailure, RegistryResponse } from '../outbound/client.ts';

/**
 * Returns a client that creates a span for each request, including its redirects. The span has the
 * host but not the URL, which contains a name.
 */
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
  // A 404 is the regular response for an unregistered name.
  if (status >= 400 && status !== 404) fail(span, String(status));
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}
