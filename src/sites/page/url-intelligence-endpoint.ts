import { pageLookup } from './page-lookups.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import * as shape from '../../api/rest/shape.ts';
import { readAt, siteEndpoint, unreadable } from '../site-endpoint.ts';

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
  types: shape.texts('The types of the items.', ({ types }) => types),
  items: shape.count('Number of items.', ({ items }) => items.length),
  parse_errors: shape.count(
    'Number of blocks that are not valid JSON.',
    ({ parse_errors: errors }) => errors,
  ),
  objects: [shape.list('The items, as JSON-LD.', { type: 'object' }), ({ items }) => items],
});

/** `GET /v1/url-intelligence`: what a page declares. */
export const urlIntelligence = siteEndpoint<Page>('/v1/url-intelligence', {
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
    redirects: shape.count('Number of redirects to the page.', ({ redirects }) => redirects.length),
    redirect_chain: [
      ({ properties }) => ({ ...properties['redirects'] }),
      ({ redirects }) => redirects,
    ],
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
function mayBeEmpty(types: shape.Source['types'], schema: shape.JsonSchema): shape.JsonSchema {
  const name = shape.refName(schema);
  if (types[name]) types[name] = { ...types[name], required: [] };
  return schema;
}
