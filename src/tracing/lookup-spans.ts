import { context, SpanStatusCode, trace, type Context, type Span, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import { splitName } from '../domain/domain-name.ts';
import type { Answer, Question, ReadCache, Registry, Source } from '../domain/registry.ts';

/** Makes a span for each name that is looked up or read from the cache. */
export class LookupSpans {
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  /** Names are handled in batches by the cache and DataLoader, so that the span of a name is not the active one where it is sent. */
  readonly #contexts = new WeakMap<Question, Context>();

  constructor(tracer: Tracer, clock: Clock) {
    this.#tracer = tracer;
    this.#clock = clock;
  }

  /** Returns a registry, with its cache in front of it, that makes a span for each name. */
  lookups(registry: Registry): Registry {
    return {
      ...registry,
      ask: (questions, asker) => (isTraced() ? this.#lookUp(registry, questions, asker) : registry.ask(questions, asker)),
    };
  }

  /** Returns a read of the cache that makes a span for each name whose stored answer is returned. */
  cacheReads(readCache: ReadCache): ReadCache {
    return (questions) => (isTraced() ? this.#readCache(readCache, questions) : readCache(questions));
  }

  /** Returns a registry without its cache, whose own spans are below that of their name. */
  underLookups(source: Source): Source {
    return {
      id: source.id,
      ask: (question, asker) => {
        const within = this.#contexts.get(question);
        return within ? context.with(within, () => source.ask(question, asker)) : source.ask(question, asker);
      },
    };
  }

  #lookUp(registry: Registry, ...[questions, asker]: Parameters<Registry['ask']>): readonly Promise<Answer>[] {
    const spans = questions.map((question) => {
      const span = this.#begin(question);
      this.#contexts.set(question, trace.setSpan(context.active(), span));
      return span;
    });
    return registry.ask(questions, asker).map(async (answer, index) => end(spans[index], await answer));
  }

  async #readCache(readCache: ReadCache, questions: readonly Question[]): ReturnType<ReadCache> {
    const startedAt = this.#clock.now();
    const reads = await readCache(questions);
    for (const question of questions) {
      const read = reads.get(question.name);
      if (read && 'answer' in read) end(this.#begin(question, startedAt), read.answer);
    }
    return reads;
  }

  #begin({ name }: Question, startTime = this.#clock.now()): Span {
    return this.#tracer.startSpan('lookup', { startTime, attributes: { 'gateway.tld': splitName(name).suffix } });
  }
}

function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

function end(span: Span | undefined, answer: Answer): Answer {
  const { verdict, cached, stale, problem } = answer;
  span?.setAttributes({ 'gateway.verdict': verdict, 'gateway.cached': cached, 'gateway.stale': stale });
  if (problem) span?.setAttribute('error.type', problem.code).setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
  return answer;
}
