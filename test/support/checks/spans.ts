import { context, propagation, SpanKind, trace, type TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterAll } from 'vitest';

/** The spans of this process, as an SDK exports them. */
export interface Spans {
  /** Finished spans, in the order in which they ended. */
  readonly ended: readonly ReadableSpan[];
  /** Resolves when this many request spans have ended. */
  requests(count: number): Promise<readonly ReadableSpan[]>;
  /**
   * Returns the parent of a span; undefined for a root span, or if the parent is from another
   * process.
   */
  parentOf(span: ReadableSpan): ReadableSpan | undefined;
  reset(): void;
}

/**
 * Registers an SDK in this process, like `--import`, until the file ends: the files that follow in
 * the same process would trace everything, and keep its spans. Call it once, before the first
 * gateway starts.
 */
export function registerSdk(): Spans {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceparent);
  afterAll(() => {
    for (const each of [trace, context, propagation]) each.disable();
    Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'));
  });

  const requests = () => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
  return {
    get ended() {
      return exporter.getFinishedSpans();
    },
    async requests(count) {
      // A span ends when the last byte was sent, which a client may read earlier.
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

/** Extracts the W3C Trace Context of callers, like the propagator of the SDK. */
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
