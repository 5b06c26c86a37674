import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { HttpRequestContext, HttpResponse, Router } from '../http/http-request-context.ts';
import { asProblem } from '../http/messages/problem-response.ts';

/** Returns a router that creates a span for each request, until the end of its response. */
export function tracedRouter(router: Router, tracer: Tracer): Router {
  return {
    ...router,
    handle(http) {
      const { request, path } = http;
      const { method = '' } = request;
      const route = router.routeOf(path);
      const parent = propagation.extract(context.active(), request.headers);
      const attributes = {
        'http.request.method': method,
        ...(route !== undefined && { 'http.route': route }),
      };
      const span = tracer.startSpan(
        route === undefined ? method : `${method} ${route}`,
        { kind: SpanKind.SERVER, attributes },
        parent,
      );
      // Without an SDK and a trace of the caller, there is nothing to pass on.
      if (!isSpanContextValid(span.spanContext())) return router.handle(http);
      const traceContext = trace.setSpan(parent, span);
      return context.with(traceContext, () =>
        span.isRecording() ? answerWithSpan(router, http, span, traceContext) : router.handle(http),
      );
    },
  };
}

async function answerWithSpan(
  router: Router,
  http: HttpRequestContext,
  span: Span,
  traceContext: Context,
): Promise<HttpResponse> {
  http.onResponseClosed(() => span.end());
  try {
    const response = await router.handle(http);
    describe(span, response.status, response.code);
    return response.body === undefined
      ? response
      : { ...response, body: bindStream(response.body, traceContext) };
  } catch (error) {
    const { status, code } = asProblem(error);
    describe(span, status, code);
    throw error;
  }
}

function describe(span: Span, status: number, code: string | undefined): void {
  span.setAttribute('http.response.status_code', status);
  if (code !== undefined) span.setAttribute('error.type', code);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Runs a stream in the trace of its request: its parts are generated after the router has returned.
 */
function bindStream(
  body: NonNullable<HttpResponse['body']>,
  traceContext: Context,
): NonNullable<HttpResponse['body']> {
  if (typeof body === 'object' && Symbol.asyncIterator in body)
    body.next = context.bind(traceContext, body.next.bind(body));
  return body;
}
