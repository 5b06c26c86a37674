import type { Attempt, SourceKind, SourceReport } from '../domain/answer.ts';
import {
  authorities,
  conclusionWords,
  statementOf,
  type Conclusion,
} from '../lookup/conclusion.ts';
import { conformanceFindings, type ConformanceFinding } from '../domain/rdap-conformance.ts';
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

/** A lookup that shows that a server tells registered from unregistered names. */
interface Control {
  readonly kind: 'CANARY' | 'REGISTERED_NAME' | 'RANDOM_NAME';
  readonly passedAt: number;
}

const ControlType = objectType<Control>('Control', (t) => ({
  kind: t.expose('kind', {
    type: builder.enumType('ControlKind', {
      values: ['CANARY', 'REGISTERED_NAME', 'RANDOM_NAME'] as const,
    }),
  }),
  passedAt: t.expose('passedAt', { type: 'DateTime' }),
}));

const controlKinds: Readonly<Record<SourceKind, readonly Control['kind'][]>> = {
  rdap: ['CANARY'],
  das: ['RANDOM_NAME', 'REGISTERED_NAME'],
  whois: ['RANDOM_NAME', 'REGISTERED_NAME'],
  dns: ['RANDOM_NAME'],
};

/** Returns the controls that count for what a source said. */
export function controlsOf({ source, controlsPassedAt: passedAt }: SourceReport): Control[] {
  return passedAt === undefined ? [] : controlKinds[source].map((kind) => ({ kind, passedAt }));
}

const SourceReportType = objectType<SourceReport>('SourceReport', (t) => ({
  source: t.exposeString('source'),
  answer: t.exposeString('answer'),
  pattern: t.exposeString('pattern', { nullable: true }),
  controlsPassedAt: t.field({
    type: 'DateTime',
    nullable: true,
    resolve: ({ source, controlsPassedAt }) =>
      source === 'das' || source === 'whois' ? controlsPassedAt : undefined,
  }),
  server: t.string({ nullable: true, resolve: ({ endpoint }) => endpoint }),
  askedAt: t.expose('askedAt', { type: 'DateTime', nullable: true }),
  answeredAt: t.expose('answeredAt', { type: 'DateTime', nullable: true }),
  durationMs: t.float({
    nullable: true,
    resolve: ({ askedAt, answeredAt }) =>
      askedAt === undefined || answeredAt === undefined ? null : answeredAt - askedAt,
  }),
  httpStatus: t.exposeInt('httpStatus', { nullable: true }),
  statement: t.string({ resolve: statementOf }),
  controls: t.field({ type: [ControlType], resolve: controlsOf }),
}));

const ConclusionType = objectType<Conclusion>('Conclusion', (t) => ({
  word: t.expose('word', { type: builder.enumType('ConclusionWord', { values: conclusionWords }) }),
  rule: t.exposeString('rule'),
  sentence: t.exposeString('sentence'),
  authority: t.expose('authority', {
    type: builder.enumType('Authority', { values: authorities }),
  }),
  authoritySentence: t.exposeString('authoritySentence'),
  wouldChange: t.exposeString('wouldChange'),
}));

const FindingType = objectType<ConformanceFinding>('ConformanceFinding', (t) => ({
  code: t.exposeString('code'),
  path: t.exposeString('path'),
  detail: t.exposeString('detail'),
}));

export const EvidenceType = objectType<LookupEvidence & { readonly conclusion?: Conclusion }>(
  'Evidence',
  (t) => ({
    httpStatus: t.int({ nullable: true, resolve: ({ response }) => response?.httpStatus }),
    mediaType: t.string({ nullable: true, resolve: ({ response }) => response?.mediaType }),
    unproven: t.boolean({ resolve: ({ response }) => response?.unproven === true }),
    text: t.string({ nullable: true, resolve: ({ response }) => response?.text }),
    conclusion: t.expose('conclusion', { type: ConclusionType, nullable: true }),
    sources: t.field({
      type: [SourceReportType],
      resolve: ({ response }) => [...(response?.sources ?? [])],
    }),
    findings: t.field({
      type: [FindingType],
      resolve: ({ response, object }) => [...conformanceFindings(object?.(), response?.mediaType)],
    }),
    attempts: t.field({ type: [AttemptType], resolve: ({ attempts }) => [...attempts] }),
  }),
);
