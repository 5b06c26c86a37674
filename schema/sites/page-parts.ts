import type { PageRobots } from '../../src/sites/page/page-robots.ts';
import type { AnchorSummary, Redirect, StructuredData } from '../../src/sites/page/page-visit.ts';
import type { SocialProfile } from '../../src/sites/page/site-identity.ts';
import { builder } from '../builder.ts';

export const FetchStateType = builder.enumType('FetchState', {
  description:
    'Whether a page could be read. Values may be added; clients must tolerate unknown ones.',
  values: {
    OK: { value: 'ok', description: 'It is HTML.' },
    BLOCKED: {
      value: 'blocked',
      description: 'robots.txt, the site, or an address that is not public forbids it.',
    },
    HTTP_ERROR: { value: 'http_error', description: 'An error status, or no HTTP response.' },
    NON_HTML: { value: 'non_html', description: 'It has another media type.' },
    EMPTY: { value: 'empty', description: 'It has no content.' },
  } as const,
});

export const RedirectType = builder.objectRef<Redirect>('Redirect').implement({
  description: 'A redirect.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The URL that redirected.' }),
    httpStatus: t.exposeInt('status', { description: 'The HTTP status.' }),
  }),
});

export const StructuredDataType = builder.objectRef<StructuredData>('StructuredData').implement({
  description: 'JSON-LD and Microdata of a page.',
  fields: (t) => ({
    types: t.exposeStringList('types', {
      description: 'Types of schema.org, in order of appearance.',
    }),
    items: t.field({
      type: ['JSON'],
      description: 'The JSON-LD objects, as the page declares them.',
      resolve: ({ items }) => [...items],
    }),
    parseErrors: t.exposeInt('parseErrors', {
      description:
        'The number of JSON-LD blocks that could not be read: not valid JSON, or too large.',
    }),
  }),
});

export const PageRobotsType = builder.objectRef<PageRobots>('PageRobots').implement({
  description: 'What a page tells crawlers about itself.',
  fields: (t) => ({
    meta: t.exposeStringList('meta', { description: 'Directives of `<meta name="robots">`.' }),
    header: t.exposeStringList('header', { description: 'Directives of `X-Robots-Tag`.' }),
    indexable: t.exposeBoolean('indexable', {
      nullable: true,
      description:
        'Whether neither forbids all crawlers to index the page, also by an `unavailable_after` before the visit; ' +
        'null if no header does and the page was not read.',
    }),
  }),
});

export const PageLinksType = builder.objectRef<AnchorSummary>('PageLinks').implement({
  description: 'The number of links (`<a href>`) of a page, among its first 5,000 URLs.',
  fields: (t) => ({
    total: t.exposeInt('total', {
      description:
        'All links with an `http:` or `https:` URL; others, such as `mailto:`, do not count.',
    }),
    internal: t.exposeInt('internal', { description: 'Links to the same registrable domain.' }),
    external: t.exposeInt('external', { description: 'Links to other sites.' }),
  }),
});

export const SocialProfileType = builder.objectRef<SocialProfile>('SocialProfile').implement({
  description: 'A profile on a platform to which a page refers. Whose it is, is not verified.',
  fields: (t) => ({
    platform: t.exposeString('platform', { description: 'The platform, such as `github`.' }),
    handle: t.exposeString('handle', {
      nullable: true,
      description: 'The name in the path of the URL; null if there is none.',
    }),
    url: t.exposeString('url', { description: 'The URL of the profile.' }),
    source: t.exposeString('source', {
      description: 'What declares it: `same_as` (schema.org), `rel_me` or `homepage_link`.',
    }),
  }),
});
