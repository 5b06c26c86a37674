import { resultField } from '../site-field.ts';
import { technologiesLookup } from './technologies-lookup.ts';
import {
  detectTechnologies,
  summarizeTechnologies,
  type TechnologySummary,
} from './detect-technologies.ts';
import type { Technology, TechnologyEvidence } from './technology.ts';
import type { TechnologyData } from './technologies-lookup.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { objectType, nullableStrings } from '../../schema/builder.ts';
import { siteResult, type DataOf } from '../site-result.ts';

/** Returns the products that a page and the records of its server show. */
export function technologiesOf(outcome: Outcome<TechnologyData>) {
  return mapOutcome(outcome, (source) => {
    const { finalUrl, headers } = source.visit;
    const found = detectTechnologies(source);
    return { finalUrl, headers, found, summary: summarizeTechnologies(found) };
  });
}

const TechnologyEvidenceType = objectType<TechnologyEvidence>('TechnologyEvidence', (t) => ({
  source: t.exposeString('source'),
  key: t.exposeString('key', { nullable: true }),
  matched: t.exposeString('matched'),
}));

const TechnologyType = objectType<Technology>('Technology', (t) => ({
  technologyId: t.exposeString('id'),
  name: t.exposeString('name'),
  category: t.exposeString('category'),
  version: t.exposeString('version', { nullable: true }),
  evidence: t.field({ type: [TechnologyEvidenceType], resolve: ({ evidence }) => [...evidence] }),
}));

const TechnologySummaryType = objectType<TechnologySummary>('TechnologySummary', (t) => ({
  ...nullableStrings(t, 'cdn', 'server', 'framework', 'cms', 'hosting'),
  analytics: t.exposeStringList('analytics'),
}));

export const TechnologiesType = siteResult<DataOf<typeof technologiesOf>>(
  'Technologies',
  (t, field) => ({
    finalUrl: t.string(field('finalUrl')),
    technologies: t.field({ type: [TechnologyType], ...field('found') }),
    summary: t.field({ type: TechnologySummaryType, ...field('summary') }),
    headers: t.field({ type: 'JSON', ...field('headers') }),
  }),
);

export const technologiesField = resultField(TechnologiesType, technologiesLookup, technologiesOf);
