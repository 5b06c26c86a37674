import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  deprecationIn,
  deprecated,
  docsUrl,
  notDeprecated,
} from '../../../support/checks/deprecation.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { scratch } from '../../../support/stores/scratch.ts';
import { startSiteGateway } from '../../../support/gateways/site-gateway.ts';

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0', DOCS_URL: docsUrl } });

const common = 'domain checked_at cached latency_ms';
const url = encodeURIComponent('https://taken.test/');

const tls = `status host port profile result.domain result.host result.port result.engine.name result.engine.mode
  result.engine.version result.engine.profile result.target.ip result.summary.severity_counts
  result.summary.actionable_findings result.summary.protocols_offered
  result.summary.deprecated_protocols result.summary.supports_tls_1_3
  result.summary.supports_http2 result.sections.protocols.0.id
  result.sections.protocols.0.severity result.sections.protocols.0.finding
  result.sections.server_defaults result.sections.cipher_categories
  result.sections.forward_secrecy result.findings.0.id result.checked_at
  result.scan_duration_ms result.notes.0`;
const certificates = `certificates.0.id certificates.0.issuer certificates.0.common_name
  certificates.0.san.0 certificates.0.not_before certificates.0.not_after
  certificates.0.is_expired certificates.0.is_wildcard
  summary.total_found summary.returned summary.unique_subdomains summary.issuers.0
  summary.earliest_cert summary.latest_cert pagination.limit pagination.returned
  pagination.total pagination.has_more pagination.next_cursor`;
const subdomains = `subdomains.0.name subdomains.0.source subdomains.0.first_seen
  subdomains.0.verified wildcards summary.total_found summary.returned
  summary.verified_count summary.sources_used.0 warnings
  subdomains.0.dns_records meta.query_time_ms meta.cached intelligence_summary.truncated`;
const mailDomains = `domains.0 total limit next_cursor
  metadata.total_domains metadata.sources.0 metadata.refresh_status`;
const page = `meta.cached meta.checked_at requested_url final_url status fetch_state content_type redirects title description
  canonical_url language favicon_url preview_image_url manifest_url theme_color open_graph
  twitter_card structured_data.types structured_data.items structured_data.parse_errors
  robots.meta robots.header robots.indexable security_headers links.total links.internal
  links.external social_profiles`;
const assets = `website_url fetch_state organization_name assets.logo_url assets.logo_source
  assets.favicon_url assets.touch_icon_url assets.preview_image_url assets.manifest_url
  assets.theme_color assets.candidates.0.url assets.candidates.0.kind assets.candidates.0.source
  assets.candidates.0.type assets.candidates.0.sizes social_profiles.0.platform
  social_profiles.0.handle social_profiles.0.url social_profiles.0.source evidence.0`;
const identity = `canonical_domain website_url fetch_state organization.name
  organization.description identities.0 evidence.declared_identity_count evidence.sources.0`;
const signalNames =
  'remote_mcp openapi llms_txt api_catalog mcp_server_card agent_skills oauth markdown web_bot_auth sitemap_markdown agent_guide webmcp';
const signals = `outcome summary.detected_signals summary.total_signals meta.probe_count meta.cached
  requested_url final_url http_status fetch_state
  meta.max_probes ${signalNames
    .split(' ')
    .flatMap((name) =>
      ['status', 'checked_url', 'http_status', 'evidence'].map(
        (member) => `signals.${name}.${member}`,
      ),
    )
    .join(' ')}`;
const technologies = `technologies.0.id technologies.0.name technologies.0.category
  technologies.0.evidence_details.0.source technologies.0.evidence_details.0.key
  technologies.0.evidence_details.0.matched summary.server summary.cms summary.analytics headers url total_time_ms
  technologies.0.evidence technologies.0.source_count ssl.enabled`;
const categories = `url total_time_ms primary_category categories.0.category categories.0.subcategory
  categories.0.signals.0 title description language`;

/** Calls of clients of the public API, with all parameters they have, and the members they read. */
const calls: readonly (readonly [call: string, members: string, headers: object])[] = [
  ['robots?domain=taken.test', `${common} access groups sitemaps`, notDeprecated],
  ['robots?domain=taken.test&skip_cache=true', `${common} access`, deprecated],
  ['ssl/deep-scan?domain=taken.test', `${common} ${tls}`, notDeprecated],
  ['ssl/deep-scan?domain=taken.test&profile=full&refresh=true', `${common} ${tls}`, deprecated],
  [
    'certificates?domain=taken.test&include_subdomains=true&include_expired=false&limit=100',
    `${common} ${certificates}`,
    notDeprecated,
  ],
  ['certificates?domain=taken.test&limit=1&cursor=0', `${common} ${certificates}`, deprecated],
  [
    'subdomains?domain=taken.test&include_wildcards=true&limit=500&max_age=3600',
    `${common} ${subdomains}`,
    notDeprecated,
  ],
  ['subdomains?domain=taken.test&prefer_cache=true', `${common} ${subdomains}`, deprecated],
  ['email/blacklist', mailDomains, notDeprecated],
  ['email/blacklist?limit=10&offset=20&format=json', mailDomains, deprecated],
  [`url-intelligence?url=${url}&max_age=3600`, `${common} ${page}`, notDeprecated],
  [`url-intelligence?url=${url}&skip_cache=1`, `${common} ${page}`, deprecated],
  ['identity-assets?domain=taken.test&max_age=3600', `${common} ${assets}`, notDeprecated],
  ['identity-assets?domain=taken.test&skip_cache=1', `${common} ${assets}`, deprecated],
  ['identity-resolution?domain=taken.test', `${common} ${identity}`, notDeprecated],
  ['identity-resolution?domain=taken.test&skip_cache=1', `${common} ${identity}`, deprecated],
  ['agent-readiness?domain=taken.test', `${common} ${signals}`, notDeprecated],
  [`agent-readiness?url=${url}&skip_cache=1`, `${common} ${signals}`, deprecated],
  ['tech?domain=taken.test', `${common} ${technologies}`, notDeprecated],
  [`tech?url=${url}&skip_cache=1`, `${common} ${technologies}`, deprecated],
  ['categorize?domain=taken.test', `${common} ${categories}`, notDeprecated],
  [`categorize?url=${url}&skip_cache=1`, `${common} ${categories}`, deprecated],
];

/** Returns whether a body has a member, such as `summary.total` or `items.0`. Null is a value. */
function hasMember(body: Json, path: string): boolean {
  let value: Json = body;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
}

it.each(calls)('GET /v1/%s has the members of the public API', async (call, members, headers) => {
  const response = await gateway.fetch(`/v1/${call}`);
  expect([response.status, deprecationIn(response)]).toEqual([200, headers]);
  const body: Json = await response.json();
  const missing = members.split(/\s+/).filter((path) => !hasMember(body, path));
  expect(missing).toEqual([]);
});

it.each([
  ['ssl/deep-scan?domain=taken.test', ({ result }: Json) => result.target, { ip: null }],
  ['certificates?domain=taken.test', ({ certificates: [first] }: Json) => first.source, 'sandbox'],
])('GET /v1/%s has no address of a server that is configured', async (call, read, expected) => {
  expect(read(await gateway.get(`/v1/${call}`))).toEqual(expected);
});

it('GET /v1/identity-resolution names the host of an identity on an unknown platform', async () => {
  const profiles = ['https://social.example/@shop', 'https://x.com/shop'];
  const body = profiles.map((profile) => `<a rel="me" href="${profile}">Us</a>`).join('');
  await using running = await startSiteGateway({ 'https://shop.example/': { body } });
  const response = await running.customer.fetch('/v1/identity-resolution?domain=shop.example');
  const { identities }: Json = await response.json();
  expect(identities.map(({ platform }: Json) => platform)).toEqual(['social.example', 'x']);
});

it('GET /v1/email/blacklist?format=txt has one domain per line', async () => {
  const response = await gateway.fetch('/v1/email/blacklist?format=txt&limit=3');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const { domains } = await gateway.get('/v1/email/blacklist?limit=3');
  expect(await response.text()).toBe(`${domains.join('\n')}\n`);
});

it.each(['json', 'txt'])(
  'GET /v1/email/blacklist?format=%s links to the next page',
  async (format) => {
    await using folder = await scratch();
    const file = join(folder.path, 'domains.txt');
    await writeFile(file, 'a.example\nb.example\nc.example\n');
    await using running = await startGateway({ env: { DISPOSABLE_MAIL_FILE: file } });
    const first = await running.fetch(`/v1/email/blacklist?limit=2&format=${format}`);
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await fetch(new URL(next, first.url));
    expect(await second.text()).toMatch(
      format === 'txt' ? /^c\.example\n$/ : /"domains":\["c\.example"\]/,
    );
    expect(second.headers.get('link')).toBeNull();
    const notModified = await running.fetch(`/v1/email/blacklist?limit=2&format=${format}`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect(notModified.status).toBe(304);
    expect(notModified.headers.get('link')).toEqual(first.headers.get('link'));
  },
);

it('GET /v1/email/blacklist has the same headers as JSON and as text', async () => {
  const names = await Promise.all(
    ['json', 'txt'].map(async (format) => {
      const response = await gateway.fetch(`/v1/email/blacklist?limit=2&format=${format}`);
      return [...response.headers.keys()];
    }),
  );
  expect(names[1]).toEqual(names[0]);
  expect(names[0]).toContain('x-data-freshness');
});

it('GET /v1/email/blacklist has 1,000 domains by default, which clients with `offset` skip', async () => {
  const [first, all] = [
    await gateway.get('/v1/email/blacklist?offset=1000'),
    await gateway.get('/v1/email/blacklist?limit=2000'),
  ];
  expect(first.domains).toEqual(all.domains.slice(1000));
});

it('GET /v1/email/blacklist rejects a cursor that it never returned', async () => {
  const response = await gateway.fetch('/v1/email/blacklist?cursor=5');
  expect([response.status, (await response.json()).param]).toEqual([400, 'cursor']);
});

it('GET /v1/subdomains has no DNS records, because the names are not looked up', async () => {
  const body = await gateway.get('/v1/subdomains?domain=taken.test');
  const [first] = body.subdomains;
  expect(Object.keys(first).toSorted()).toEqual(
    'dns_records first_seen name source verified'.split(' '),
  );
  expect(first).toMatchObject({ verified: false, dns_records: null });
});

it.each([
  [`url-intelligence?url=${url}`, 'redirects', 0],
  [`url-intelligence?url=${url}`, 'structured_data.items', expect.any(Number)],
  [
    'subdomains?domain=taken.test&include_wildcards=1',
    'wildcards.0',
    {
      source: 'ct',
      first_seen: expect.stringContaining('T'),
      pattern: expect.stringMatching(/^\*\./),
    },
  ],
  ['certificates?domain=taken.test', 'certificates.0.issuer', { name: expect.any(String) }],
  [
    'categorize?domain=taken.test',
    'categories.0.signals.0',
    { source: 'json_ld', evidence: 'Organization' },
  ],
  ['identity-assets?domain=taken.test', 'evidence.0', expect.any(String)],
  ['tech?domain=taken.test', 'url', 'https://taken.test/'],
  ['agent-readiness?domain=taken.test', 'requested_url', 'https://taken.test/'],
  ['agent-readiness?domain=taken-redirect.test', 'final_url', 'https://www.taken-redirect.test/'],
  ['agent-readiness?domain=taken-error.test', 'http_status', 500],
  ['agent-readiness?domain=taken-loop.test', 'fetch_state', 'http_error'],
  ['url-intelligence?url=https://taken-pdf.test/', 'links', {}],
  ['url-intelligence?url=https://taken-pdf.test/', 'structured_data', {}],
  ['ssl/deep-scan?domain=taken-self-signed.test', 'error', undefined],
])('GET /v1/%s has %s of the type of the public API', async (call, path, expected) => {
  expect(memberOf(await gateway.get(`/v1/${call}`), path)).toEqual(expected);
});

function memberOf(body: Json, path: string): Json {
  return path.split('.').reduce((value: Json, key) => value[key], body);
}

it.each([
  `url-intelligence?url=${url}`,
  'tech?domain=taken.test',
  'agent-readiness?domain=taken.test',
])('GET /v1/%s keeps its entity tag if only durations and times differ', async (call) => {
  const [first, second] = [
    await gateway.fetch(`/v1/${call}&max_age=0`),
    await gateway.fetch(`/v1/${call}`),
  ];
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
});

it('GET /v1/tech leaves out what it does not know, instead of null', async () => {
  await using running = await startSiteGateway({
    'https://shop.example/': { headers: { server: 'nginx' }, body: '<title>Shop</title>' },
  });
  const response = await running.customer.fetch('/v1/tech?domain=shop.example');
  const { technologies: found, summary }: Json = await response.json();
  expect(found[0]).toMatchObject({ id: 'nginx' });
  expect(found.filter(({ version }: Json) => version === null)).toEqual([]);
  expect(Object.values(summary)).not.toContain(null);
});

it.each([
  ['subdomains?domain=taken.test&verify=yes', 'verify'],
  ['subdomains?domain=taken.test&sources=dns', 'sources'],
  ['tech?domain=taken.test&mode=deep', 'mode'],
  ['tech?domain=taken.test&max_pages=3', 'max_pages'],
  ['categorize?domain=taken.test&min_confidence=50', 'min_confidence'],
])('GET /v1/%s is rejected, because it asks for something else', async (call, param) => {
  const response = await gateway.fetch(`/v1/${call}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_parameter', param });
});

it.each([
  'subdomains?domain=taken.test&verify=no&sources=ct',
  'tech?domain=taken.test&mode=fast&max_pages=1&unknown=1',
  `tech?domain=${url}`,
  `tech?domain=free.test&url=${url}`,
  'categorize?domain=free.test&url=taken.test',
  `agent-readiness?domain=${url}&url=taken.test`,
])('GET /v1/%s is about taken.test', async (call) => {
  expect(await gateway.get(`/v1/${call}`)).toMatchObject({ domain: 'taken.test' });
});
