import { context, SpanStatusCode, trace, type Context, type Span, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import { splitName, type DomainName } from '../domain/domain-name.ts';
import type { Answer, Question, Recall, Registry, Source } from '../domain/registry.ts';

export interface TracedRegistries {
  /** A registry with its cache in front of it: a span for each name. */
  lookups(registry: Registry): Registry;
  /** A span for each name that is remembered. */
  recalls(recall: Recall): Recall;
  /** The same registry without its cache: what it does for a name stands under that name's span. */
  underLookups(source: Source): Source;
}

/** The cache and DataLoader handle the names of an operation in batches, so that a name's span cannot be the active one: it goes with its question. */
export function tracedRegistries(tracer: Tracer, clock: Clock): TracedRegistries {
  const contexts = new WeakMap<Question, Context>();

  function begin({ name }: Question, startTime = clock.now()): Span {
    return tracer.startSpan('lookup', { startTime, attributes: { 'gateway.tld': splitName(name).suffix } });
  }

  function lookUp(registry: Registry, ...[questions, asker]: Parameters<Registry['ask']>): readonly Promise<Answer>[] {
    const spans = questions.map((question) => {
      const span = begin(question);
      contexts.set(question, trace.setSpan(context.active(), span));
      return span;
    });
    return registry.ask(questions, asker).map(async (answer, index) => end(spans[index], await answer));
  }

  async function recalled(recall: Recall, questions: readonly Question[]): Promise<ReadonlyMap<DomainName, Answer>> {
    const startedAt = clock.now();
    const answers = await recall(questions);
    for (const question of questions) {
      const answer = answers.get(question.name);
      if (answer) end(begin(question, startedAt), answer);
    }
    return answers;
  }

  return {
    lookups: (registry) => ({
      ...registry,
      ask: (questions, asker) => (isTraced() ? lookUp(registry, questions, asker) : registry.ask(questions, asker)),
    }),
    recalls: (recall) => (questions) => (isTraced() ? recalled(recall, questions) : recall(questions)),
    underLookups: (source) => ({
      ...source,
      ask(question, asker) {
        const within = contexts.get(question);
        return within ? context.with(within, () => source.ask(question, asker)) : source.ask(question, asker);
      },
    }),
  };
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
