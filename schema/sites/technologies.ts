import {
  detectTechnologies,
  summarizeTechnologies,
  type TechnologySummary,
} from '../../src/sites/tech/detect-technologies.ts';
import type { PageVisit } from '../../src/sites/page/page-visit.ts';
import type { Technology, TechnologyEvidence } from '../../src/sites/tech/technology.ts';
import type { TechnologyData } from '../../src/sites/lookups.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

interface Technologies extends Pick<PageVisit, 'finalUrl' | 'headers'> {
  readonly found: readonly Technology[];
  readonly summary: TechnologySummary;
}

/** Returns the products that a page and the records of its server show. */
export function technologiesOf(outcome: Outcome<TechnologyData>): Outcome<Technologies> {
  return mapOutcome(outcome, (source) => {
    const { finalUrl, headers } = source.visit;
    const found = detectTechnologies(source);
    return { finalUrl, headers, found, summary: summarizeTechnologies(found) };
  });
}

const TechnologyEvidenceType = builder
  .objectRef<TechnologyEvidence>('TechnologyEvidence')
  .implement({
    description: 'What shows that a site uses a product.',
    fields: (t) => ({
      source: t.exposeString('source', {
        description:
          '`header`, `cookie`, `meta`, `script`, `link`, `host`, `cname`, `nameserver` or `implied` (another detected technology requires it). Values may be added.',
      }),
      key: t.exposeString('key', {
        nullable: true,
        description:
          'The name of the header, cookie or meta element; for `implied`, the identifier of the technology that requires it; null for other sources.',
      }),
      matched: t.exposeString('matched', { description: 'The text that was recognized.' }),
    }),
  });

const TechnologyType = builder.objectRef<Technology>('Technology').implement({
  description: 'A product that a site uses.',
  fields: (t) => ({
    technologyId: t.exposeString('id', {
      description: 'A stable identifier, such as `wordpress`.',
    }),
    name: t.exposeString('name', { description: 'The name of the product.' }),
    category: t.exposeString('category', {
      description: 'The category, such as `cms`, `cdn` or `analytics`. Values may be added.',
    }),
    version: t.exposeString('version', {
      nullable: true,
      description: 'The version that the site states; null if it states none.',
    }),
    evidence: t.field({
      type: [TechnologyEvidenceType],
      description: 'What shows it; at least one.',
      resolve: ({ evidence }) => [...evidence],
    }),
  }),
});

const TechnologySummaryType = builder.objectRef<TechnologySummary>('TechnologySummary').implement({
  description: 'The names of the products by purpose; null if none was recognized.',
  fields: (t) => ({
    cdn: t.exposeString('cdn', { nullable: true, description: 'The CDN.' }),
    server: t.exposeString('server', { nullable: true, description: 'The web server.' }),
    framework: t.exposeString('framework', { nullable: true, description: 'The framework.' }),
    cms: t.exposeString('cms', { nullable: true, description: 'The content management system.' }),
    hosting: t.exposeString('hosting', { nullable: true, description: 'The hosting provider.' }),
    analytics: t.exposeStringList('analytics', { description: 'Analytics products.' }),
  }),
});

const field = fieldOf<Technologies>();

export const TechnologiesType = builder.objectRef<Outcome<Technologies>>('Technologies').implement({
  interfaces: [SiteResultType],
  description:
    'The technologies detected from headers, cookies, HTML and DNS records, each with its evidence. ' +
    'Only well-known products are recognized, and a site may hide or fake them; scripts are not run.',
  fields: (t) => ({
    finalUrl: t.string(field('finalUrl', 'The URL of the page, after redirects.')),
    technologies: t.field({
      type: [TechnologyType],
      ...field('found', 'The products.'),
    }),
    summary: t.field({
      type: TechnologySummaryType,
      ...field('summary', 'The products by purpose.'),
    }),
    headers: t.field({
      type: 'JSON',
      ...field('headers', 'The headers of the response by lower-case name, without `set-cookie`.'),
    }),
  }),
});
