import type { PageRobots } from '../../src/sites/page/page-robots.ts';
import type { AnchorSummary, Redirect, StructuredData } from '../../src/sites/page/page-visit.ts';
import type { SocialProfile } from '../../src/sites/page/site-identity.ts';
import { builder, enumOfWords } from '../builder.ts';

export const FetchStateType = enumOfWords('FetchState', [
  'ok',
  'blocked',
  'http_error',
  'non_html',
  'empty',
]);

export const RedirectType = builder.objectRef<Redirect>('Redirect').implement({
  fields: (t) => ({
    url: t.exposeString('url'),
    httpStatus: t.exposeInt('status'),
  }),
});

export const StructuredDataType = builder.objectRef<StructuredData>('StructuredData').implement({
  fields: (t) => ({
    types: t.exposeStringList('types'),
    items: t.field({ type: ['JSON'], resolve: ({ items }) => [...items] }),
    parseErrors: t.exposeInt('parseErrors'),
  }),
});

export const PageRobotsType = builder.objectRef<PageRobots>('PageRobots').implement({
  fields: (t) => ({
    meta: t.exposeStringList('meta'),
    header: t.exposeStringList('header'),
    indexable: t.exposeBoolean('indexable', { nullable: true }),
  }),
});

export const PageLinksType = builder.objectRef<AnchorSummary>('PageLinks').implement({
  fields: (t) => ({
    total: t.exposeInt('total'),
    internal: t.exposeInt('internal'),
    external: t.exposeInt('external'),
  }),
});

export const SocialProfileType = builder.objectRef<SocialProfile>('SocialProfile').implement({
  fields: (t) => ({
    platform: t.exposeString('platform'),
    handle: t.exposeString('handle', { nullable: true }),
    url: t.exposeString('url'),
    source: t.exposeString('source'),
  }),
});
