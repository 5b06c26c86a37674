import type { Attempt } from '../src/domain/source.ts';
import type { LookupOutcome } from '../src/lookup/lookup-outcome.ts';
import { builder } from './builder.ts';

const AttemptPhaseType = builder.enumType('AttemptPhase', {
  description:
    'A kind of step. Values may be added: a client must expect one that it does not know.',
  values: {
    queue: { description: 'Waiting until the registry host could be queried.' },
    exchange: { description: 'Querying the registry, redirects included.' },
    canary: { description: 'Checking that the registry finds a name that it must hold.' },
  } as const,
});

const AttemptType = builder.objectRef<Attempt>('Attempt').implement({
  description: 'One step on the way to an answer.',
  fields: (t) => ({
    phase: t.expose('phase', { type: AttemptPhaseType, description: 'What was done.' }),
    ms: t.exposeFloat('ms', { description: 'How long it took, in milliseconds.' }),
    code: t.exposeString('code', {
      description:
        'How it ended: an HTTP status, a problem code, `sent`, `found`, `not_found` or `inconclusive`.',
    }),
  }),
});

export const EvidenceType = builder
  .objectRef<NonNullable<LookupOutcome['evidence']>>('Evidence')
  .implement({
    description: 'What a verdict rests on.',
    fields: (t) => ({
      httpStatus: t.int({
        nullable: true,
        description: "Status of the registry's answer.",
        resolve: ({ response }) => response?.httpStatus,
      }),
      mediaType: t.string({
        nullable: true,
        description: "Media type of the registry's answer.",
        resolve: ({ response }) => response?.mediaType,
      }),
      unproven: t.boolean({
        description:
          'A "not found" from a server that was never seen to find a name; it said so in RDAP\'s own terms.',
        resolve: ({ response }) => response?.unproven === true,
      }),
      text: t.string({
        nullable: true,
        description:
          'The text of a 404 that is not recognized as "not found": the reason why there is no verdict.',
        resolve: ({ response }) => response?.text,
      }),
      attempts: t.field({
        type: [AttemptType],
        description: 'The steps that this answer took; none when it was stored earlier.',
        resolve: ({ attempts }) => [...attempts],
      }),
    }),
  });
