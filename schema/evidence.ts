import type { Attempt, SourceReport } from '../src/domain/answer.ts';
import type { LookupEvidence } from '../src/lookup/lookup-outcome.ts';
import { builder } from './builder.ts';

const AttemptPhaseType = builder.enumType('AttemptPhase', {
  description:
    'The kind of a lookup step. Values may be added; clients must tolerate unknown ones.',
  values: {
    queue: { description: 'Waiting in the queue of the registry host.' },
    exchange: { description: 'Querying the registry, including redirects.' },
    canary: {
      description: 'Checking that the registry finds a name that is known to exist.',
    },
  } as const,
});

const AttemptType = builder.objectRef<Attempt>('Attempt').implement({
  description: 'One step of a lookup.',
  fields: (t) => ({
    source: t.string({
      description: 'The source that was queried: `rdap`, `das`, `whois` or `dns`.',
      resolve: ({ source }) => source ?? 'rdap',
    }),
    phase: t.expose('phase', { type: AttemptPhaseType, description: 'The kind of this step.' }),
    ms: t.exposeFloat('ms', { description: 'Duration in milliseconds.' }),
    code: t.exposeString('code', {
      description:
        'Result: an HTTP status, a problem code, `sent`, `found`, `not_found` or `inconclusive`.',
    }),
  }),
});

const SourceReportType = builder.objectRef<SourceReport>('SourceReport').implement({
  description: 'What one source answered.',
  fields: (t) => ({
    source: t.exposeString('source', {
      description: 'The source: `rdap`, `das`, `whois` or `dns`.',
    }),
    answer: t.exposeString('answer', {
      description:
        'A verdict in lower case, such as `available`; for the DNS `delegated`, `absent` (no delegation) or ' +
        '`has_records` (records, but no delegation); or the code of the problem that prevented an answer.',
    }),
    pattern: t.exposeString('pattern', {
      nullable: true,
      description:
        'Identifies the form of a WHOIS reply, such as `available-1` or `registered-1`. Null for other sources, and if no form matches.',
    }),
    controlsPassedAt: t.expose('controlsPassedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'For an "available" of an availability service or a WHOIS server: when its control lookups last succeeded. Null if they have not.',
    }),
  }),
});

export const EvidenceType = builder.objectRef<LookupEvidence>('Evidence').implement({
  description: 'The evidence for a verdict.',
  fields: (t) => ({
    httpStatus: t.int({
      nullable: true,
      description: "HTTP status of the registry's response.",
      resolve: ({ response }) => response?.httpStatus,
    }),
    mediaType: t.string({
      nullable: true,
      description: "Media type of the registry's response.",
      resolve: ({ response }) => response?.mediaType,
    }),
    unproven: t.boolean({
      description:
        'Whether this is a "not found" from a server that has never found any name. It is accepted because its body is an RDAP error.',
      resolve: ({ response }) => response?.unproven === true,
    }),
    text: t.string({
      nullable: true,
      description:
        'The text of a 404 response that was not recognized as "not found", so there is no verdict.',
      resolve: ({ response }) => response?.text,
    }),
    sources: t.field({
      type: [SourceReportType],
      description: 'The sources that were queried, in the order of their answers.',
      resolve: ({ response }) => [...(response?.sources ?? [])],
    }),
    attempts: t.field({
      type: [AttemptType],
      description: 'The steps of this lookup; empty if the answer came from the cache.',
      resolve: ({ attempts }) => [...attempts],
    }),
  }),
});
