import { assert, constantFrom, json as anyJson, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../../src/clock.ts';
import type { AgentSignalName } from '../../../src/sites/agent-signals/agent-signals.ts';
import type { PageVisit } from '../../../src/sites/page/page-visit.ts';
import { parseSiteHost } from '../../../src/sites/site-target.ts';
import { agentSignalsReader } from '../../../src/sites/agent-signals/agent-signals-reader.ts';
import { probes } from '../../../src/sites/agent-signals/probes.ts';
import { startFakeSites, type FakePage } from '../../support/servers/fake-site.ts';
import { pageVisit } from '../../support/bodies/page-visit.ts';
import { siteClient, siteRequest } from '../../support/bodies/site-requests.ts';

const site = 'https://shop.example';

const visit = pageVisit({}, { requestedUrl: `${site}/`, finalUrl: `${site}/` });

interface Options {
  readonly visit?: PageVisit;
  readonly isAllowed?: (url: URL) => boolean;
  readonly clock?: Clock;
}

/** Reads the signals of a site with some responses by path. Other paths have the status 404. */
async function signalsOf(
  pages: Readonly<Record<string, FakePage>>,
  { visit: home = visit, isAllowed = () => true, clock = systemClock }: Options = {},
) {
  await using sites = await startFakeSites({
    [`${site}/unused`]: {},
    ...Object.fromEntries(
      Object.entries(pages).map(([path, page]) => [new URL(path, site).href, page]),
    ),
  });
  const client = siteClient(sites);
  const read = agentSignalsReader({
    client,
    clock,
    isAllowed: async (url) => isAllowed(url),
    page: async () => ({ cached: false, checkedAt: 0, freshUntil: 0, data: home }),
  });
  const signals = await read({ target: parseSiteHost('shop.example') }, siteRequest());
  await client.destroy();
  const named = (name: AgentSignalName) => signals.signals.find((signal) => signal.name === name);
  return { ...signals, named, requests: sites.requests };
}

const probePaths = Object.values(probes).flatMap((each) => each.map(({ path }) => path));

const json = (value: unknown, type = 'application/json'): FakePage => ({
  headers: { 'content-type': type },
  body: JSON.stringify(value),
});
const text = (body: string, type = 'text/plain; charset=utf-8'): FakePage => ({
  headers: { 'content-type': type },
  body,
});

const redirect = (location: string): FakePage => ({ status: 302, headers: { location } });

const signs: readonly [AgentSignalName, string, FakePage, string][] = [
  [
    'remote_mcp',
    '/.well-known/mcp',
    json({ remotes: [{ type: 'streamable-http', url: `${site}/mcp` }] }),
    `MCP endpoint ${site}/mcp`,
  ],
  ['openapi', '/openapi.json', json({ openapi: '3.1.0' }), 'OpenAPI 3.1.0'],
  ['openapi', '/openapi.yaml', text('openapi: "3.0.3"\ninfo:\n'), 'OpenAPI 3.0.3'],
  ['llms_txt', '/llms.txt', text('# Shop\n\n> A shop.\n'), 'heading: Shop'],
  [
    'api_catalog',
    '/.well-known/api-catalog',
    json({ linkset: [{ anchor: site }] }, 'application/linkset+json'),
    'contexts: 1',
  ],
  [
    'mcp_server_card',
    '/.well-known/mcp/server-card.json',
    json({ serverInfo: { name: 'shop', version: '1' } }),
    'server shop',
  ],
  [
    'mcp_server_card',
    '/mcp/server-card',
    json({ name: 'shop', version: '1', remotes: [{ url: `${site}/mcp` }] }),
    'server shop',
  ],
  [
    'agent_skills',
    '/.well-known/skills/index.json',
    json({ skills: [{ name: 'order' }] }),
    'skills: 1',
  ],
  [
    'oauth',
    '/.well-known/oauth-protected-resource',
    json({ resource: `${site}/api` }),
    `resource ${site}/api`,
  ],
  ['markdown', '/', text('Shop', 'text/markdown'), 'text/markdown'],
  [
    'web_bot_auth',
    '/.well-known/http-message-signatures-directory',
    json({ keys: [{ kty: 'OKP' }] }, 'application/http-message-signatures-directory+json'),
    'keys: 1',
  ],
  ['sitemap_markdown', '/sitemap.md', text('# Pages\n'), 'heading: Pages'],
  ['agent_guide', '/agents.md', text('Guide', 'text/markdown'), 'text/markdown'],
];

describe('the signals of a site for AI agents', () => {
  it.each(signs)('include %s at %s', async (name, path, page, evidence) => {
    const { named } = await signalsOf({ [path]: page });
    expect(named(name)).toEqual({
      name,
      status: 'detected',
      checkedUrl: `${site}${path}`,
      httpStatus: 200,
      evidence: [evidence],
    });
  });

  it('are not detected on a site that answers every path with a page', async () => {
    const page: FakePage = {
      body: '<!doctype html><h1># openapi: 3.1.0</h1>\nopenapi: 3.1.0\n# A',
    };
    const paths = (await signalsOf({})).requests.map(({ url }) => new URL(url).pathname);
    const { outcome, signals } = await signalsOf(
      Object.fromEntries(paths.map((path) => [path, page])),
    );
    expect(new Set(signals.map(({ status }) => status))).toEqual(new Set(['not_detected']));
    expect(outcome).toBe('complete');
  });

  it('are not detected in other forms of JSON, nor in an HTML page that is sent as text', async () => {
    const { signals } = await signalsOf({
      '/openapi.json': json({ error: 'not found' }),
      '/.well-known/mcp.json': json([]),
      '/.well-known/mcp/server-card.json': json({ name: 'shop' }),
      '/.well-known/api-catalog': json({ linkset: [] }),
      '/.well-known/oauth-authorization-server': json({ issuer: '' }),
      '/.well-known/skills/index.json': json({ skills: [] }),
      '/llms.txt': text('<!DOCTYPE html>\n# Shop'),
      '/AGENTS.md': text('no heading'),
      '/': text('<html>', 'text/markdown'),
    });
    expect(signals.filter(({ status }) => status === 'detected')).toEqual([]);
  });

  it('are not detected at another path or site to which a path redirects', async () => {
    const { signals } = await signalsOf({
      '/llms.txt': redirect('https://other.example/llms.txt'),
      'https://other.example/llms.txt': text('# Other'),
      '/sitemap.md': redirect('/'),
      '/AGENTS.md': redirect('/'),
      '/': text('# Shop', 'text/markdown'),
    });
    const detected = signals.filter(({ status }) => status === 'detected');
    expect(detected.map(({ name }) => name)).toEqual(['markdown']);
  });

  it('are detected at the same path of another host of the site', async () => {
    const location = 'https://www.shop.example/llms.txt';
    const { named } = await signalsOf({
      '/llms.txt': { status: 301, headers: { location } },
      [location]: text('# Shop'),
    });
    expect(named('llms_txt')).toMatchObject({ status: 'detected', checkedUrl: location });
  });

  it('are not detected in a text that several paths return', async () => {
    const error = text('# Page not found', 'text/markdown');
    const { named } = await signalsOf({
      '/llms.txt': text('# Shop'),
      '/sitemap.md': error,
      '/AGENTS.md': error,
      '/agents.md': error,
    });
    expect(
      (['llms_txt', 'sitemap_markdown', 'agent_guide'] as const).map((name) => named(name)?.status),
    ).toEqual(['detected', 'not_detected', 'not_detected']);
  });

  it.each<[string, FakePage]>([
    ['/llms.txt', text('### Error 404')],
    ['/llms.txt', text('Welcome\n# Shop')],
    ['/llms.txt', text('# Shop', 'application/json')],
    ['/llms.txt', { ...text('# Shop'), status: 404 }],
    ['/.well-known/mcp.json', json({ openapi: '3.1.0', servers: [{ url: `${site}/v1` }] })],
    ['/.well-known/mcp.json', json({ endpoint: '/mcp' })],
    ['/.well-known/mcp.json', json({ endpoint: 'mailto:a' })],
    ['/.well-known/oauth-authorization-server', json({ issuer: 'https://other.example' })],
    ['/.well-known/oauth-authorization-server', json({ issuer: 'http://shop.example' })],
    ['/.well-known/oauth-protected-resource', json({ resource: 'https://other.example/' })],
    ['/.well-known/api-catalog', json({ linkset: [] }, 'application/linkset+json')],
  ])('are not detected at %s in %j', async (path, page) => {
    const { signals } = await signalsOf({ [path]: page });
    expect(signals.filter(({ status }) => status === 'detected')).toEqual([]);
  });

  it('are not detected in an error that names what was requested', async () => {
    const paths = (await signalsOf({})).requests.map(({ url }) => new URL(url).pathname);
    const error = { error: 'x', endpoint: `${site}/mcp`, issuer: 'api', name: 'x', version: '1' };
    const { signals } = await signalsOf(
      Object.fromEntries(paths.map((path) => [path, json({ ...error, serverInfo: error })])),
    );
    expect(signals.filter(({ status }) => status === 'detected')).toEqual([]);
  });

  it('are unknown if one of their paths failed and the others have nothing', async () => {
    const { named } = await signalsOf({ '/.well-known/mcp.json': { status: 500 } });
    expect(named('remote_mcp')).toMatchObject({ status: 'unknown', httpStatus: 500 });
  });

  it('are searched with at most 20 requests, each path once', async () => {
    const { requests, probeCount, maxProbes } = await signalsOf({});
    expect(new Set(requests.map(({ url }) => url)).size).toBe(requests.length);
    expect([requests.length, probeCount, maxProbes]).toEqual([20, 20, 20]);
  });

  it('are not requested again once they are detected', async () => {
    const { requests, probeCount } = await signalsOf({
      '/openapi.json': json({ openapi: '3.1.0' }),
    });
    expect(requests.map(({ url }) => url)).not.toContain(`${site}/openapi.yaml`);
    expect(probeCount).toBe(18);
  });

  it.each([403, 429, 500])('are unknown where the status is %i', async (status) => {
    const { named, outcome } = await signalsOf({ '/llms.txt': { status } });
    expect(named('llms_txt')).toMatchObject({ status: 'unknown', httpStatus: status });
    expect(outcome).toBe('partial');
  });

  it('are unknown where the connection breaks', async () => {
    const { named } = await signalsOf({ '/llms.txt': (response) => void response.destroy() });
    expect(named('llms_txt')).toMatchObject({ status: 'unknown', httpStatus: null });
  });

  it('are unchecked where robots.txt forbids the path or a redirect from it', async () => {
    const { named, requests } = await signalsOf(
      { '/sitemap.md': { status: 302, headers: { location: '/private/map.md' } } },
      { isAllowed: ({ pathname }) => pathname !== '/llms.txt' && !pathname.startsWith('/private') },
    );
    expect(named('llms_txt')).toMatchObject({ status: 'unchecked', checkedUrl: null });
    expect(named('sitemap_markdown')).toMatchObject({ status: 'unchecked' });
    const urls = requests.map(({ url }) => url);
    expect(urls).not.toContain(`${site}/llms.txt`);
    expect(urls).not.toContain(`${site}/private/map.md`);
  });

  const openApiType = 'application/vnd.oai.openapi+json;version=3.1';

  it.each([
    [openApiType, 'detected'],
    ['application/xml', 'not_detected'],
  ])('include OpenAPI by a link to an API description of type %s: %s', async (type, status) => {
    const headers = { link: `</api>; rel="service-desc"; type="${type}"` };
    const { named } = await signalsOf({}, { visit: { ...visit, headers } });
    expect(named('openapi')?.status).toBe(status);
  });

  it('are unchecked where a path redirects to another domain, which is not contacted', async () => {
    const { named, requests } = await signalsOf({
      '/llms.txt': redirect('https://www.shop.example/llms.txt'),
      'https://www.shop.example/llms.txt': text('# Shop\n'),
      '/sitemap.md': redirect('https://other.example/sitemap.md'),
      'https://other.example/sitemap.md': text('# Pages\n'),
    });
    expect(named('llms_txt')?.status).toBe('detected');
    expect(named('sitemap_markdown')).toMatchObject({ status: 'unchecked' });
    expect(requests.filter(({ url }) => url.startsWith('https://other.example'))).toEqual([]);
  });

  it('are read after at most one redirect of a path', async () => {
    const { named, requests } = await signalsOf({
      '/llms.txt': redirect('/1'),
      '/1': redirect('/2'),
      '/2': text('# Shop\n'),
    });
    expect(named('llms_txt')?.status).toBe('unknown');
    expect(requests.map(({ url }) => url)).not.toContain(`${site}/2`);
  });

  it('take at most 46 requests, also if each path redirects to an origin of its own', async () => {
    const origins = new Set<string>();
    const targets = probePaths.map((_path, index) => `https://s${index}.shop.example/`);
    const { signals, requests } = await signalsOf(
      {
        ...Object.fromEntries(
          probePaths.map((path, index) => [path, redirect(targets[index] ?? '')]),
        ),
        ...Object.fromEntries(targets.map((target) => [target, {}])),
      },
      { isAllowed: ({ origin }) => origins.add(origin).size > 0 },
    );
    // A robots.txt takes up to six requests; that of the site was read for the home page.
    expect(requests.length + 6 * (origins.size - 1)).toBeLessThanOrEqual(46);
    expect(signals.map(({ status }) => status)).toContain('unchecked');
  });

  it('are all checked on a site that redirects each path within its origin', async () => {
    const { outcome, requests } = await signalsOf(
      Object.fromEntries(probePaths.map((path) => [path, redirect(`/en${path}`)])),
    );
    expect([outcome, requests.length]).toEqual(['complete', 40]);
  });

  it('are read from what the home page declares, without a request', async () => {
    const document = visit.document && {
      ...visit.document,
      webMcp: ['form toolname'],
      links: [{ rel: ['service-desc'], url: `${site}/api.json`, type: openApiType, sizes: null }],
    };
    const headers = { link: '</catalog>; rel="api-catalog", </x>; rel=next' };
    const { named, requests } = await signalsOf({}, { visit: { ...visit, document, headers } });
    expect(named('webmcp')).toMatchObject({ status: 'detected', evidence: ['form toolname'] });
    expect(named('openapi')?.evidence).toEqual([`rel=service-desc ${site}/api.json`]);
    expect(named('api_catalog')?.evidence).toEqual(['rel=api-catalog /catalog']);
    expect(requests.map(({ url }) => url)).not.toContain(`${site}/openapi.json`);
  });

  it('are unavailable, without further requests, if the home page cannot be reached', async () => {
    const problem = { code: 'site_unreachable', detail: 'No connection.' } as const;
    const home = { ...visit, finalUrl: null, status: null, document: null, problem };
    const { outcome, signals, requests } = await signalsOf({}, { visit: home });
    expect([outcome, requests.length]).toEqual(['unavailable', 0]);
    expect(new Set(signals.map(({ status }) => status))).toEqual(new Set(['unknown']));
  });

  it.each<[string, FakePage]>([
    ['an error', { status: 503 }],
    ['a refusal', { status: 403 }],
    ['a broken connection', (response) => void response.destroy()],
  ])('are unchecked after five requests in a row with %s', async (_what, page) => {
    const problem = { code: 'site_unreachable', detail: 'Status 503.' } as const;
    const home = { ...visit, status: 503, document: null, problem };
    const pages = Object.fromEntries(probePaths.map((path) => [path, page]));
    const { outcome, signals, requests, probeCount } = await signalsOf(pages, { visit: home });
    expect(outcome).toBe('unavailable');
    expect(new Set(signals.map(({ status }) => status))).toEqual(new Set(['unknown', 'unchecked']));
    // The site has two slots, so two more requests may have started.
    expect(requests.length).toBeLessThanOrEqual(7);
    expect(probeCount).toBeLessThanOrEqual(7);
  });

  it('are all searched for once the site has answered', async () => {
    const [first = '', ...others] = probePaths;
    const pages = Object.fromEntries(others.map((path) => [path, { status: 503 }]));
    const { requests } = await signalsOf({ [first]: { status: 404 }, ...pages });
    expect(requests.length).toBe(20);
  });

  it('are unavailable if robots.txt forbids everything', async () => {
    const problem = { code: 'site_blocked', detail: 'Forbidden.' } as const;
    const home = { ...visit, finalUrl: null, status: null, document: null, problem };
    const { outcome, requests } = await signalsOf({}, { visit: home, isAllowed: () => false });
    expect([outcome, requests.length]).toEqual(['unavailable', 0]);
  });

  it('are searched for at most 15 seconds', async () => {
    const limits: number[] = [];
    const after: Clock['after'] = (ms, task) => {
      limits.push(ms);
      return systemClock.after(0, task);
    };
    const { named, requests } = await signalsOf(
      { '/.well-known/mcp.json': () => {} },
      { clock: { ...systemClock, after } },
    );
    expect(limits).toEqual([15_000]);
    expect(named('remote_mcp')?.status).toBe('unknown');
    expect(requests.length).toBeLessThan(20);
  });
});

describe('the forms of signals', () => {
  const detects = Object.values(probes).flatMap((each) => each.map(({ detect }) => detect));
  const url = new URL(site);
  const types = ['', 'text/plain', 'text/markdown', 'application/json', 'application/yaml'];

  it('are looked for in any text without an error', () => {
    assert(
      property(constantFrom(...types), oneof(string(), anyJson()), (mediaType, body) => {
        for (const detect of detects) detect({ url, mediaType, text: body });
      }),
      { numRuns: 200 },
    );
  });

  it.each(['{', ' ', '\n', '# ', 'openapi:', 'openapi: 1', '<!--'])(
    'are looked for in 512 KiB of %j in linear time',
    (part) => {
      const body = part.repeat((512 * 1024) / part.length);
      const startedAt = performance.now();
      for (const mediaType of types)
        for (const detect of detects) detect({ url, mediaType, text: body });
      expect(performance.now() - startedAt).toBeLessThan(1000);
    },
  );
});
