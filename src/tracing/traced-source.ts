import { context, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Source, SourceKind } from '../domain/source.ts';

/**
 * Returns a source that creates a span for each query, for protocols without an HTTP client. The
 * span has neither the name nor the server.
 */
export function tracedSource(source: Source, kind: SourceKind, tracer: Tracer): Source {
  const lookup: Source['lookup'] = async (query, request) => {
    const span = tracer.startSpan(`${kind.toUpperCase()} query`, { kind: SpanKind.CLIENT });
    const traceContext = trace.setSpan(context.active(), span);
    const answer = await context.with(traceContext, () => source.lookup(query, request));
    const { failure } = answer.provenance;
    if (failure) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return answer;
  };
  return {
    id: source.id,
    lookup: (query, request) =>
      trace.getActiveSpan()?.isRecording() ? lookup(query, request) : source.lookup(query, request),
  };
}
