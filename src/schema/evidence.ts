import type { Attempt, SourceReport } from '../domain/answer.ts';
import type { LookupEvidence } from '../lookup/lookup-outcome.ts';
import { builder, objectType } from './builder.ts';

const AttemptPhaseType = builder.enumType('AttemptPhase', {
  values: ['queue', 'exchange', 'canary'] as const,
});

const AttemptType = objectType<Attempt>('Attempt', (t) => ({
  source: t.string({ resolve: ({ source }) => source ?? 'rdap' }),
  phase: t.expose('phase', { type: AttemptPhaseType }),
  ms: t.exposeFloat('ms'),
  code: t.exposeString('code'),
}));

const SourceReportType = objectType<SourceReport>('SourceReport', (t) => ({
  source: t.exposeString('source'),
  answer: t.exposeString('answer'),
  pattern: t.exposeString('pattern', { nullable: true }),
  controlsPassedAt: t.expose('controlsPassedAt', { type: 'DateTime', nullable: true }),
}));

export const EvidenceType = objectType<LookupEvidence>('Evidence', (t) => ({
  httpStatus: t.int({ nullable: true, resolve: ({ response }) => response?.httpStatus }),
  mediaType: t.string({ nullable: true, resolve: ({ response }) => response?.mediaType }),
  unproven: t.boolean({ resolve: ({ response }) => response?.unproven === true }),
  text: t.string({ nullable: true, resolve: ({ response }) => response?.text }),
  sources: t.field({
    type: [SourceReportType],
    resolve: ({ response }) => [...(response?.sources ?? [])],
  }),
  attempts: t.field({ type: [AttemptType], resolve: ({ attempts }) => [...attempts] }),
}));
