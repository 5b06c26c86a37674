import * as shape from '../../api/rest/shape.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { Problem } from '../../domain/problems.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { keyOfPage, type Fact } from '../fact.ts';
import { robotsFact } from '../robots/robots-feature.ts';
import { readAt, siteEndpoint, unreadable } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import { lookupOf, type ReadLookup } from '../site-lookup.ts';
import { withProblemOfData } from '../site-result.ts';
import { pageAt } from '../site-target.ts';
import { pageSummaryOf } from './page-summary.ts';
import type { PageVisit } from './page-visit.ts';

export const pageFact: Fact<PageVisit> = {
  name: 'page',
  from: 'site',
  keyOf: keyOfPage,
  isTemporary: ({ problem }) => problem !== null,
  async open({ client, read }) {
    const { pageReader } = await import('./page-reader.ts');
    return pageReader({
      client,
      robotsOf: (url, request) => read(robotsFact, { target: pageAt(url) }, undefined, request),
    });
  },
};

export const isCharged = ({ problem }: PageVisit) => problem === null;

export const pageLookup = lookupOf(pageFact, { price: 2, workMs: 12, about: 'page', isCharged });

/** Reads a page for a lookup that has no result without one: its problem is that of the answer. */
export const readReadablePage: ReadLookup<PageVisit> = async (reader, ...query) => {
  const answer = await reader.read(pageFact, ...query);
  if ('problem' in answer || !answer.data.problem) return answer;
  const { code, detail } = answer.data.problem;
  const { cached, checkedAt } = answer;
  return { cached, checkedAt, problem: new Problem(code, detail) };
};

interface Page {
  readonly redirects: readonly object[];
  readonly structured_data: StructuredData | null;
}

interface StructuredData {
  readonly types: readonly string[];
  readonly items: readonly object[];
  readonly parse_errors: number;
}

const structuredData = shape.objectType<StructuredData>('StructuredData', {
  types: shape.texts('The types of the items.', 'types'),
  items: shape.count('Number of items.', 'items.length'),
  parse_errors: shape.count('Number of blocks that are not valid JSON.', 'parse_errors'),
  objects: [shape.list('The items, as JSON-LD.', { type: 'object' }), 'items'],
});

/** `GET /v1/url-intelligence`: what a page declares. */
const endpoint = siteEndpoint<Page>('/v1/url-intelligence', {
  lookup: pageLookup,
  summary: 'Read what a page declares',
  description: `Returns the title, metadata, structured data, links and security headers of a page, and the redirects to it. ${unreadable}`,
  example: 'url=https://taken.test/',
  target: 'url',
  aliases: { skip_cache: skipCache },
  selection: `
    requested_url: requestedUrl final_url: finalUrl status: httpStatus fetch_state: fetchState
    content_type: contentType redirects { url status: httpStatus } title description
    canonical_url: canonicalUrl language favicon_url: faviconUrl preview_image_url: previewImageUrl
    manifest_url: manifestUrl theme_color: themeColor open_graph: openGraph twitter_card: twitterCard
    structured_data: structuredData { types items parse_errors: parseErrors }
    robots { meta header indexable }
    security_headers: securityHeaders
    links { total internal external }
    social_profiles: socialProfiles { platform handle url source }
  `,
  name: 'PageBody',
  keepsResult: true,
  members: {
    redirects: shape.count('Number of redirects to the page.', 'redirects.length'),
    redirect_chain: [({ properties }) => ({ ...properties['redirects'] }), 'redirects'],
    structured_data: [
      (source) => mayBeEmpty(source.types, structuredData.print(source)),
      ({ structured_data: data }) => (data ? structuredData.render(data) : {}),
    ],
    ...objects('open_graph', 'twitter_card', 'robots', 'links'),
    ...shape.known('security_headers'),
    ...readAt,
  },
});

/** Returns members that are objects. They are empty if the page has none, or could not be read. */
function objects(...keys: readonly string[]): shape.Members<object> {
  return shape.membersOf(keys, (key) => [
    ({ properties, types }) =>
      mayBeEmpty(types, shape.withoutNull({ ...properties[key] }, 'empty')),
    (data) => Reflect.get(data, key) ?? {},
  ]);
}

/** Makes the members of a named schema optional. Returns the reference to it. */
function mayBeEmpty(types: shape.ShapeSource['types'], schema: shape.JsonSchema): shape.JsonSchema {
  const name = shape.refName(schema);
  if (types[name]) types[name] = { ...types[name], required: [] };
  return schema;
}

/** Returns the page of a visit. Why the page could not be read becomes the problem of the outcome. */
export function pageOfVisit(outcome: Outcome<PageVisit>): Outcome<object> {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    ...visit,
    ...visit.document,
    ...pageSummaryOf(visit, outcome.checkedAt ?? 0),
  }));
}

/** The feature `page`: what a page declares. */
export const page = {
  lookup: pageLookup,
  field: resultField('Page', pageLookup, pageOfVisit),
  endpoints: [endpoint],
} satisfies Feature;
