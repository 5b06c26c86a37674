import { context, propagation, SpanKind, trace, type TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';

/** The spans of this process, as an operator's SDK sees them. */
export interface Spans {
  /** Ended spans, in the order of their ends. */
  readonly ended: readonly ReadableSpan[];
  /** Settles once so many spans of requests have ended. */
  requests(count: number): Promise<readonly ReadableSpan[]>;
  /** The span that another stands under; undefined for one that begins a trace, or came from elsewhere. */
  parentOf(span: ReadableSpan): ReadableSpan | undefined;
  reset(): void;
}

/** Brings an SDK to this process, as `--import` does. To be called once, before the first gateway starts. */
export function registerSdk(): Spans {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceparent);
  const requests = () => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
  return {
    get ended() {
      return exporter.getFinishedSpans();
    },
    async requests(count) {
      // A span ends when the last byte is sent, which a client may read first.
      while (requests().length < count) await new Promise((resolve) => setImmediate(resolve));
      return requests();
    },
    parentOf: (span) =>
      exporter
        .getFinishedSpans()
        .find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId),
    reset: () => exporter.reset(),
  };
}

/** What the SDK's own does with the header of W3C Trace Context that callers send. */
const traceparent: TextMapPropagator = {
  inject: () => {},
  fields: () => ['traceparent'],
  extract(parent, carrier, { get }) {
    const [, traceId = '', spanId = '', flags = ''] =
      /^00-([\da-f]{32})-([\da-f]{16})-(\d\d)$/.exec(String(get(carrier, 'traceparent'))) ?? [];
    return traceId === ''
      ? parent
      : trace.setSpanContext(parent, {
          traceId,
          spanId,
          traceFlags: Number(flags),
          isRemote: true,
        });
  },
};
