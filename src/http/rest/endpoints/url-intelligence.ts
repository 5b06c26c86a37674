import { skipCache } from '../../messages/deprecations.ts';
import { siteEndpoint, unreadable } from '../site-endpoint.ts';

/** `GET /v1/url-intelligence`: what a page declares. */
export const urlIntelligence = siteEndpoint('/v1/url-intelligence', {
  lookup: 'page',
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
});
