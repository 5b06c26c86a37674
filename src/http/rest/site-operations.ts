import { problemSelection } from '../messages/lookup-problem.ts';

/** The fields of all results about sites, with the keys of REST bodies. */
const common = `
  ${problemSelection}
  cached
  checked_at: checkedAt
  fresh_until: freshUntil
  latency_ms: latencyMs
`;

const robots = `
  url final_url: finalUrl http_status: httpStatus access
  groups {
    user_agents: userAgents
    rules { type path }
    crawl_delay: crawlDelay
    content_signals: contentSignals { path name allowed }
  }
  sitemaps truncated
`;

const tls = `
  host port address profile
  protocols { version offered }
  supports_http2: supportsHttp2
  certificates {
    subject organization issuer names serial_number: serialNumber not_before: notBefore
    not_after: notAfter key_type: keyType key_size: keySize fingerprint_sha256: fingerprintSha256
  }
  trusted trust_error: trustError ocsp_staple: ocspStaple
  findings { id: findingId section severity finding }
  duration_ms: durationMs
  notes
`;

const socialProfiles = 'social_profiles: socialProfiles { platform handle url source }';

const page = `
  requested_url: requestedUrl final_url: finalUrl status: httpStatus fetch_state: fetchState
  content_type: contentType redirects { url status: httpStatus } title description
  canonical_url: canonicalUrl language favicon_url: faviconUrl preview_image_url: previewImageUrl
  manifest_url: manifestUrl theme_color: themeColor open_graph: openGraph twitter_card: twitterCard
  structured_data: structuredData { types items parse_errors: parseErrors }
  robots { meta header indexable }
  security_headers: securityHeaders
  links { total internal external }
  ${socialProfiles}
`;

const asset = 'url kind source type sizes';
const identityAssets = `
  website_url: websiteUrl fetch_state: fetchState
  organization { value source }
  logo { ${asset} } favicon { ${asset} } touch_icon: touchIcon { ${asset} }
  preview_image: previewImage { ${asset} }
  candidates { ${asset} }
  manifest_url: manifestUrl theme_color: themeColor
  ${socialProfiles}
`;

const identityResolution = `
  website_url: websiteUrl fetch_state: fetchState
  organization { value source } description { value source }
  identities { url platform handle source }
`;

const agentSignals = `
  outcome
  signals { name status checked_url: checkedUrl http_status: httpStatus evidence }
  probe_count: probeCount max_probes: maxProbes
`;

const technologies = `
  technologies {
    id: technologyId name category version evidence_details: evidence { source key matched }
  }
  summary { cdn server framework cms hosting analytics }
  headers
`;

const categories = `
  categories { category subcategory source } title description language
`;

const certificates = `
  source
  certificates {
    id: searchId issuer common_name: commonName san: names not_before: notBefore
    not_after: notAfter is_expired: expired is_wildcard: wildcard
    fingerprint_sha256: fingerprintSha256
  }
  next_cursor: nextCursor total: totalCount unique_subdomains: uniqueSubdomains issuers
  earliest_cert: earliestNotBefore latest_cert: latestNotBefore truncated
`;

const subdomains = `
  source subdomains { name first_seen: firstSeen } wildcards total: totalCount truncated
`;

const hostOperation = (field: string, selection: string) =>
  `query SiteResult($host: String, $maxAge: Int) {
  site(host: $host) { name result: ${field}(maxAge: $maxAge) { ${common} ${selection} } }
}`;

/** An operation about the home page of a host or the page of a URL. */
const pageOperation = (field: string, selection: string) =>
  `query PageResult($host: String, $url: String, $maxAge: Int) {
  site(host: $host, url: $url) { name result: ${field}(maxAge: $maxAge) { ${common} ${selection} } }
}`;

/** The saved operations about sites, by the path of their endpoint. */
export const siteOperations = {
  '/v1/robots': hostOperation('robots', robots),
  '/v1/ssl/deep-scan': `query TlsScan($host: String, $profile: TlsProfile!, $maxAge: Int) {
  site(host: $host) { name result: tls(profile: $profile, maxAge: $maxAge) { ${common} ${tls} } }
}`,
  '/v1/url-intelligence': pageOperation('page', page),
  '/v1/identity-assets': hostOperation('identity', identityAssets),
  '/v1/identity-resolution': hostOperation('identity', identityResolution),
  '/v1/agent-readiness': pageOperation('agentSignals', agentSignals),
  '/v1/tech': pageOperation('technologies', technologies),
  '/v1/categorize': pageOperation('categories', categories),
  '/v1/certificates': `query Certificates($host: String, $first: Int, $after: String, $includeSubdomains: Boolean!, $includeExpired: Boolean!, $maxAge: Int) {
  site(host: $host) {
    name
    result: certificates(first: $first, after: $after, includeSubdomains: $includeSubdomains, includeExpired: $includeExpired, maxAge: $maxAge) { ${common} ${certificates} }
  }
}`,
  '/v1/subdomains': `query Subdomains($host: String, $first: Int, $includeWildcards: Boolean!, $maxAge: Int) {
  site(host: $host) {
    name
    result: subdomains(first: $first, includeWildcards: $includeWildcards, maxAge: $maxAge) { ${common} ${subdomains} }
  }
}`,
} as const;

/** Reads a page of the list of disposable mail domains. */
export const disposableMailOperation = `query DisposableMail($first: Int, $after: String) {
  list: disposableMailDomains(first: $first, after: $after) {
    nodes
    pageInfo { hasNextPage endCursor }
    totalCount
    updatedAt
    source
    status
  }
}`;
