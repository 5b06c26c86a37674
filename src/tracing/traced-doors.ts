import { context, propagation, SpanKind, SpanStatusCode, trace, type Context, type Span, type Tracer } from '@opentelemetry/api';
import type { Call, Reply } from '../http/call.ts';
import type { Doors } from '../http/doors.ts';
import { asProblem } from '../http/problem.ts';

/** The same doors, with a span for each request from its reading to the end of its answer. */
export function tracedDoors(doors: Doors, tracer: Tracer): Doors {
  return {
    ...doors,
    answer(call) {
      const { request, path } = call;
      const { method = '' } = request;
      const route = doors.routeOf(path);
      const parent = propagation.extract(context.active(), request.headers);
      const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) };
      const span = tracer.startSpan(route === undefined ? method : `${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
      const within = trace.setSpan(parent, span);
      return context.with(within, () => (span.isRecording() ? followed(doors, call, span, within) : doors.answer(call)));
    },
  };
}

async function followed(doors: Doors, call: Call, span: Span, within: Context): Promise<Reply> {
  call.whenDone(() => span.end());
  try {
    const reply = await doors.answer(call);
    describe(span, reply.status, reply.code);
    return reply.body === undefined ? reply : { ...reply, body: streamedWithin(reply.body, within) };
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

/** What a stream does runs when its next part is wanted, which is long after the door has answered. */
function streamedWithin(body: NonNullable<Reply['body']>, within: Context): NonNullable<Reply['body']> {
  if (typeof body === 'object' && Symbol.asyncIterator in body) body.next = context.bind(within, body.next.bind(body));
  return body;
}
