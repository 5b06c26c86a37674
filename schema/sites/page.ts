import { pageSummaryOf, type PageSummary } from '../../src/sites/page/page-summary.ts';
import type { PageVisit } from '../../src/sites/page/page-visit.ts';
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
import { dataField, listField, SiteResultType, withProblemOfData } from './site-result.ts';

interface Page {
  readonly visit: PageVisit;
  readonly summary: PageSummary;
}

/** Returns the page of a visit. Why the page could not be read becomes the problem of the outcome. */
export function pageOfVisit(outcome: Outcome<PageVisit>): Outcome<Page> {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    visit,
    summary: pageSummaryOf(visit, outcome.checkedAt ?? 0),
  }));
}

const visitField = <R>(read: (visit: PageVisit) => R | null | undefined) =>
  dataField(({ visit }: Page) => read(visit));
const summaryField = <R>(read: (summary: PageSummary) => R | null) =>
  dataField(({ summary }: Page) => read(summary));

export const PageType = builder.objectRef<Outcome<Page>>('Page').implement({
  interfaces: [SiteResultType],
  description:
    'What a page declares in its HTML and headers. One page is read, at most 512 KiB, if the robots.txt of its site ' +
    'allows it; scripts are not run. Texts come from the page and must not be trusted.',
  fields: (t) => ({
    requestedUrl: t.string({
      nullable: true,
      description: 'The URL that was requested first.',
      resolve: visitField(({ requestedUrl }) => requestedUrl),
    }),
    finalUrl: t.string({
      nullable: true,
      description: 'The URL of the last response, after redirects; null without a response.',
      resolve: visitField(({ finalUrl }) => finalUrl),
    }),
    httpStatus: t.int({
      nullable: true,
      description: 'The HTTP status of the last response; null without a response.',
      resolve: visitField(({ status }) => status),
    }),
    fetchState: t.field({
      type: FetchStateType,
      nullable: true,
      description: 'Whether the page could be read; `problem` says why it could not.',
      resolve: visitField(({ fetchState }) => fetchState),
    }),
    contentType: t.string({
      nullable: true,
      description: 'The media type in lower case, without parameters.',
      resolve: visitField(({ contentType }) => contentType),
    }),
    redirects: t.field({
      type: [RedirectType],
      nullable: true,
      description:
        'The redirects, in order; at most six. Without a `finalUrl`, the target of the last could not be read.',
      resolve: listField(({ visit }: Page) => visit.redirects),
    }),
    securityHeaders: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The security headers that are present, by lower-case name; null without a response.',
      resolve: summaryField(({ securityHeaders }) => securityHeaders),
    }),
  }),
});

builder.objectFields(PageType, (t) => ({
  title: t.string({
    nullable: true,
    description: 'The title.',
    resolve: visitField(({ document }) => document?.title),
  }),
  description: t.string({
    nullable: true,
    description: 'The description in a `<meta>` or of Open Graph.',
    resolve: summaryField(({ description }) => description),
  }),
  language: t.string({
    nullable: true,
    description: 'The declared language; the text is not examined.',
    resolve: visitField(({ document }) => document?.language),
  }),
  canonicalUrl: t.string({
    nullable: true,
    description: '`<link rel="canonical">`.',
    resolve: summaryField(({ canonicalUrl }) => canonicalUrl),
  }),
  faviconUrl: t.string({
    nullable: true,
    description: 'The declared icon.',
    resolve: summaryField(({ faviconUrl }) => faviconUrl),
  }),
  previewImageUrl: t.string({
    nullable: true,
    description: 'The image for previews, such as `og:image`.',
    resolve: summaryField(({ previewImageUrl }) => previewImageUrl),
  }),
  manifestUrl: t.string({
    nullable: true,
    description: 'The web app manifest.',
    resolve: summaryField(({ manifestUrl }) => manifestUrl),
  }),
  themeColor: t.string({
    nullable: true,
    description: 'The theme colour.',
    resolve: summaryField(({ themeColor }) => themeColor),
  }),
}));

builder.objectFields(PageType, (t) => ({
  openGraph: t.field({
    type: 'JSON',
    nullable: true,
    description:
      'The Open Graph properties, without the prefix `og:`; null unless the page was read.',
    resolve: summaryField(({ openGraph }) => openGraph),
  }),
  twitterCard: t.field({
    type: 'JSON',
    nullable: true,
    description:
      'The properties of Twitter cards, without the prefix `twitter:`; null unless the page was read.',
    resolve: summaryField(({ twitterCard }) => twitterCard),
  }),
  structuredData: t.field({
    type: StructuredDataType,
    nullable: true,
    description: 'JSON-LD and Microdata; null unless the page was read.',
    resolve: visitField(({ document }) => document?.structuredData),
  }),
  robots: t.field({
    type: PageRobotsType,
    nullable: true,
    description: 'What the page tells crawlers about itself; null without a response.',
    resolve: summaryField(({ robots }) => robots),
  }),
  links: t.field({
    type: PageLinksType,
    nullable: true,
    description: 'The number of links; null unless the page was read.',
    resolve: visitField(({ document }) => document?.anchors),
  }),
  socialProfiles: t.field({
    type: [SocialProfileType],
    nullable: true,
    description: 'The profiles to which the page refers.',
    resolve: listField(({ summary }: Page) => summary.profiles),
  }),
  truncated: t.boolean({
    nullable: true,
    description: 'Whether the page has more than was read: 512 KiB and 5,000 URLs.',
    resolve: visitField(({ document }) => document?.isTruncated),
  }),
}));
