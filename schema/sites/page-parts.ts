import type { PageRobots } from '../../src/sites/page/page-robots.ts';
import type { AnchorSummary, Redirect, StructuredData } from '../../src/sites/page/page-visit.ts';
import type { SocialProfile } from '../../src/sites/page/site-identity.ts';
import { enumOfWords, objectType } from '../builder.ts';

export const FetchStateType = enumOfWords('FetchState', [
  'ok',
  'blocked',
  'http_error',
  'non_html',
  'empty',
]);

export const RedirectType = objectType<Redirect>('Redirect', (t) => ({
  url: t.exposeString('url'),
  httpStatus: t.exposeInt('status'),
}));

export const StructuredDataType = objectType<StructuredData>('StructuredData', (t) => ({
  types: t.exposeStringList('types'),
  items: t.field({ type: ['JSON'], resolve: ({ items }) => [...items] }),
  parseErrors: t.exposeInt('parseErrors'),
}));

export const PageRobotsType = objectType<PageRobots>('PageRobots', (t) => ({
  meta: t.exposeStringList('meta'),
  header: t.exposeStringList('header'),
  indexable: t.exposeBoolean('indexable', { nullable: true }),
}));

export const PageLinksType = objectType<AnchorSummary>('PageLinks', (t) => ({
  total: t.exposeInt('total'),
  internal: t.exposeInt('internal'),
  external: t.exposeInt('external'),
}));

export const SocialProfileType = objectType<SocialProfile>('SocialProfile', (t) => ({
  platform: t.exposeString('platform'),
  handle: t.exposeString('handle', { nullable: true }),
  url: t.exposeString('url'),
  source: t.exposeString('source'),
}));
