import { resultField } from '../site-field.ts';
import { pageLookup } from './page-lookups.ts';
import { pageSummaryOf, type PageRobots } from './page-summary.ts';
import type {
  AnchorSummary,
  PageVisit,
  Redirect,
  SocialProfile,
  StructuredData,
} from './page-visit.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { siteResult, withProblemOfData, type DataOf } from '../site-result.ts';
import { enumOfWords, objectType } from '../../schema/builder.ts';

export const FetchStateType = enumOfWords('FetchState', [
  'ok',
  'blocked',
  'http_error',
  'non_html',
  'empty',
]);

const RedirectType = objectType<Redirect>('Redirect', (t) => ({
  url: t.exposeString('url'),
  httpStatus: t.exposeInt('status'),
}));

const StructuredDataType = objectType<StructuredData>('StructuredData', (t) => ({
  types: t.exposeStringList('types'),
  items: t.field({ type: ['JSON'], resolve: ({ items }) => [...items] }),
  parseErrors: t.exposeInt('parseErrors'),
}));

const PageRobotsType = objectType<PageRobots>('PageRobots', (t) => ({
  meta: t.exposeStringList('meta'),
  header: t.exposeStringList('header'),
  indexable: t.exposeBoolean('indexable', { nullable: true }),
}));

const PageLinksType = objectType<AnchorSummary>('PageLinks', (t) => ({
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

/** Returns the page of a visit. Why the page could not be read becomes the problem of the outcome. */
export function pageOfVisit(outcome: Outcome<PageVisit>) {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    ...visit,
    ...visit.document,
    ...pageSummaryOf(visit, outcome.checkedAt ?? 0),
  }));
}

export const PageType = siteResult<DataOf<typeof pageOfVisit>>('Page', (t, field) => ({
  requestedUrl: t.string(field('requestedUrl')),
  finalUrl: t.string(field('finalUrl')),
  httpStatus: t.int(field('status')),
  fetchState: t.field({ type: FetchStateType, ...field('fetchState') }),
  contentType: t.string(field('contentType')),
  redirects: t.field({ type: [RedirectType], ...field('redirects') }),
  securityHeaders: t.field({ type: 'JSON', ...field('securityHeaders') }),
  title: t.string(field('title')),
  description: t.string(field('description')),
  language: t.string(field('language')),
  canonicalUrl: t.string(field('canonicalUrl')),
  faviconUrl: t.string(field('faviconUrl')),
  previewImageUrl: t.string(field('previewImageUrl')),
  manifestUrl: t.string(field('manifestUrl')),
  themeColor: t.string(field('themeColor')),
  openGraph: t.field({ type: 'JSON', ...field('openGraph') }),
  twitterCard: t.field({ type: 'JSON', ...field('twitterCard') }),
  structuredData: t.field({ type: StructuredDataType, ...field('structuredData') }),
  robots: t.field({ type: PageRobotsType, ...field('robots') }),
  links: t.field({ type: PageLinksType, ...field('anchors') }),
  socialProfiles: t.field({ type: [SocialProfileType], ...field('profiles') }),
  truncated: t.boolean(field('isTruncated')),
}));

export const pageField = resultField(PageType, pageLookup, pageOfVisit);
