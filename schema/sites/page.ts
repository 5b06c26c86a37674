import { pageSummaryOf, type PageSummary } from '../../src/sites/page/page-summary.ts';
import type { PageDocument, PageVisit } from '../../src/sites/page/page-visit.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import {
  FetchStateType,
  PageLinksType,
  PageRobotsType,
  RedirectType,
  SocialProfileType,
  StructuredDataType,
} from './page-parts.ts';
import { fieldOf, SiteResultType, withProblemOfData } from './site-result.ts';

type Page = PageVisit & PageSummary & Partial<PageDocument>;

/** Returns the page of a visit. Why the page could not be read becomes the problem of the outcome. */
export function pageOfVisit(outcome: Outcome<PageVisit>): Outcome<Page> {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    ...visit,
    ...visit.document,
    ...pageSummaryOf(visit, outcome.checkedAt ?? 0),
  }));
}

const field = fieldOf<Page>();

export const PageType = builder.objectRef<Outcome<Page>>('Page').implement({
  interfaces: [SiteResultType],
  description:
    'What a page declares in its HTML and headers. One page is read, at most 512 KiB, if the robots.txt of its site ' +
    'allows it; scripts are not run. Texts come from the page and must not be trusted.',
  fields: (t) => ({
    requestedUrl: t.string(field('requestedUrl', 'The URL that was requested first.')),
    finalUrl: t.string(
      field('finalUrl', 'The URL of the last response, after redirects; null without a response.'),
    ),
    httpStatus: t.int(
      field('status', 'The HTTP status of the last response; null without a response.'),
    ),
    fetchState: t.field({
      type: FetchStateType,
      ...field('fetchState', 'Whether the page could be read; `problem` says why it could not.'),
    }),
    contentType: t.string(
      field('contentType', 'The media type in lower case, without parameters.'),
    ),
    redirects: t.field({
      type: [RedirectType],
      ...field(
        'redirects',
        'The redirects, in order; at most six. Without a `finalUrl`, the target of the last could not be read.',
      ),
    }),
    securityHeaders: t.field({
      type: 'JSON',
      ...field(
        'securityHeaders',
        'The security headers that are present, by lower-case name; null without a response.',
      ),
    }),
  }),
});

builder.objectFields(PageType, (t) => ({
  title: t.string(field('title', 'The title.')),
  description: t.string(field('description', 'The description in a `<meta>` or of Open Graph.')),
  language: t.string(field('language', 'The declared language; the text is not examined.')),
  canonicalUrl: t.string(field('canonicalUrl', '`<link rel="canonical">`.')),
  faviconUrl: t.string(field('faviconUrl', 'The declared icon.')),
  previewImageUrl: t.string(
    field('previewImageUrl', 'The image for previews, such as `og:image`.'),
  ),
  manifestUrl: t.string(field('manifestUrl', 'The web app manifest.')),
  themeColor: t.string(field('themeColor', 'The theme colour.')),
}));

builder.objectFields(PageType, (t) => ({
  openGraph: t.field({
    type: 'JSON',
    ...field(
      'openGraph',
      'The Open Graph properties, without the prefix `og:`; null unless the page was read.',
    ),
  }),
  twitterCard: t.field({
    type: 'JSON',
    ...field(
      'twitterCard',
      'The properties of Twitter cards, without the prefix `twitter:`; null unless the page was read.',
    ),
  }),
  structuredData: t.field({
    type: StructuredDataType,
    ...field('structuredData', 'JSON-LD and Microdata; null unless the page was read.'),
  }),
  robots: t.field({
    type: PageRobotsType,
    ...field('robots', 'What the page tells crawlers about itself; null without a response.'),
  }),
  links: t.field({
    type: PageLinksType,
    ...field('anchors', 'The number of links; null unless the page was read.'),
  }),
  socialProfiles: t.field({
    type: [SocialProfileType],
    ...field('profiles', 'The profiles to which the page refers.'),
  }),
  truncated: t.boolean(
    field('isTruncated', 'Whether the page has more than was read: 512 KiB and 5,000 URLs.'),
  ),
}));
