import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Call, Reply } from '../http/call.ts';
import type { Router } from '../http/router.ts';
import { asProblem } from '../http/response/problem-response.ts';

/** Returns a router that makes a span for each request, from its reading to the end of its response. */
export function tracedRouter(router: Router, tracer: Tracer): Router {
  return {
    ...router,
    answer(call) {
      const { request, path } = call;
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
      const within = trace.setSpan(parent, span);
      return context.with(within, () =>
        span.isRecording() ? followed(router, call, span, within) : router.answer(call),
      );
    },
  };
}

async function followed(router: Router, call: Call, span: Span, within: Context): Promise<Reply> {
  call.whenDone(() => span.end());
  try {
    const reply = await router.answer(call);
    describe(span, reply.status, reply.code);
    return reply.body === undefined
      ? reply
      : { ...reply, body: streamedWithin(reply.body, within) };
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

/** What a stream does runs when its next part is wanted, which is long after the router has answered. */
function streamedWithin(
  body: NonNullable<Reply['body']>,
  within: Context,
): NonNullable<Reply['body']> {
  if (typeof body === 'object' && Symbol.asyncIterator in body)
    body.next = context.bind(within, body.next.bind(body));
  return body;
}
