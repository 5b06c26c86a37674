import { describe, expect, it, onTestFinished } from 'vitest';
import { homePageOf, parseSiteUrl } from '../../../src/sites/site-target.ts';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import type { PageVisit } from '../../../src/sites/page/page-visit.ts';
import type { Problem } from '../../../src/domain/problems.ts';
import { pageReader } from '../../../src/sites/page/page-reader.ts';
import { robotsReader } from '../../../src/sites/robots/robots-reader.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { startFakeSites, type FakePage } from '../../support/servers/fake-site.ts';
import { problemText, siteClient, siteRequest } from '../../support/bodies/site-requests.ts';

type Pages = Readonly<Record<string, FakePage>>;

async function start(pages: Pages, options?: Parameters<typeof startFakeSites>[1]) {
  const sites = await forThisTest(startFakeSites, pages, options);
  const client = siteClient(sites);
  onTestFinished(() => client.destroy());
  const robots = robotsReader({ client });
  const read = pageReader({
    client,
    robotsOf: async (url, request) => {
      const base = { cached: false, checkedAt: 0, freshUntil: 0 };
      try {
        return { ...base, data: await robots({ target: parseSiteUrl(url.href) }, request) };
      } catch (problem) {
        return { ...base, problem: problem as Problem };
      }
    },
  });
  const home = { target: homePageOf(parseDomainName('example.com')) };
  return {
    sites,
    robots: () => robots(home, siteRequest()),
    page: () => read(home, siteRequest()),
  };
}

const url = 'https://example.com/';
const robotsUrl = `${url}robots.txt`;
const redirect = (location: string): FakePage => ({ status: 302, headers: { location } });

describe('the robots.txt of a site', () => {
  it.each([
    [200, 'rules'],
    [404, 'allow_all'],
    [429, 'allow_all'],
    [500, 'disallow_all'],
    [503, 'disallow_all'],
  ])('with status %d is %s', async (status, access) => {
    const { robots } = await start({
      [robotsUrl]: { status, body: 'User-agent: *\nDisallow: /x' },
    });
    expect(await robots()).toMatchObject({ url: robotsUrl, finalUrl: robotsUrl, status, access });
  });

  it('is read over plain HTTP if there is no TLS', async () => {
    const { robots } = await start({ 'http://example.com/robots.txt': {} }, { closed: [443] });
    expect(await robots()).toMatchObject({ url: 'http://example.com/robots.txt', access: 'rules' });
  });

  it('has the problem of its server', async () => {
    const { robots } = await start({ [url]: {} }, { certificate: 'expired' });
    expect(await problemText(robots())).toMatch(/the certificate has expired/);
  });

  it('that is cut off loses its incomplete last line', async () => {
    const body = `User-agent: *\nDisallow: /${'#'.repeat(512 * 1024 - 40)}\nDisallow: /private-area`;
    const { robots } = await start({ [robotsUrl]: { body } });
    const { groups, isTruncated } = await robots();
    expect([groups[0]?.rules.length, isTruncated]).toEqual([1, true]);
  });
});

describe('a visit of a page', () => {
  const html = { body: '<title>Hi</title>' };

  it.each<[PageVisit['fetchState'], string, Pages]>([
    ['ok', 'HTML', { [url]: html }],
    ['ok', 'markup without a type', { [url]: { ...html, headers: { 'content-type': '' } } }],
    [
      'non_html',
      'JSON',
      { [url]: { headers: { 'content-type': 'application/json' }, body: '{}' } },
    ],
    ['empty', 'white space', { [url]: { body: ' \n' } }],
    ['http_error', 'status 404', {}],
    ['http_error', 'status 500', { [url]: { status: 500 } }],
    ['http_error', 'no response', { [url]: (response) => response.destroy() }],
    ['blocked', 'status 403', { [url]: { status: 403 } }],
    ['blocked', 'status 429', { [url]: { status: 429 } }],
    ['blocked', 'a rule', { [url]: html, [robotsUrl]: { body: 'User-agent: *\nDisallow: /' } }],
    ['http_error', 'a failing robots.txt', { [url]: html, [robotsUrl]: { status: 500 } }],
    ['blocked', 'a redirect to a private address', { [url]: redirect('http://10.0.0.1/') }],
    ['blocked', 'a redirect to another port', { [url]: redirect('https://example.com:8443/') }],
    [
      'blocked',
      'a rule for the target of a redirect',
      {
        [url]: redirect('https://example.org/a'),
        'https://example.org/a': html,
        'https://example.org/robots.txt': { body: 'User-agent: rdap-gateway\nDisallow: /a' },
      },
    ],
  ])('is %s with %s', async (state, _what, pages) => {
    const { page, sites } = await start({ 'https://example.com/unused': {}, ...pages });
    const visit = await page();
    expect(visit.fetchState).toBe(state);
    const isUnreadable = state === 'blocked' || state === 'http_error';
    expect(visit.problem !== null).toBe(isUnreadable);
    expect(visit.document === null).toBe(state !== 'ok');
    expect(sites.requests.filter((request) => request.url === 'https://example.org/a')).toEqual([]);
  });

  it.each(['http://10.0.0.1/', 'https://example.org/a', 'https://closed.example/', '/', '//['])(
    'has its redirects if the target %s cannot be read',
    async (location) => {
      const { page } = await start({
        [url]: redirect('/next'),
        [`${url}next`]: redirect(location),
        'https://example.org/robots.txt': { body: 'User-agent: *\nDisallow: /' },
      });
      expect(await page()).toMatchObject({
        finalUrl: null,
        status: null,
        redirects: [
          { url, status: 302 },
          { url: `${url}next`, status: 302 },
        ],
      });
    },
  );

  it('is an error with status 400', async () => {
    const { page } = await start({ [url]: { status: 400, ...html } });
    expect(await page()).toMatchObject({ fetchState: 'http_error', status: 400, document: null });
  });

  it('never requests a page that robots.txt forbids', async () => {
    const { page, sites } = await start({ [robotsUrl]: { body: 'User-agent: *\nDisallow: /' } });
    expect((await page()).problem?.detail).toBe('robots.txt of example.com disallows this page.');
    expect(sites.requests.map((request) => request.url)).toEqual([robotsUrl]);
  });

  it('is made over plain HTTP if there is no TLS', async () => {
    const { page } = await start({ 'http://example.com/': html }, { closed: [443] });
    expect(await page()).toMatchObject({ fetchState: 'ok', finalUrl: 'http://example.com/' });
  });

  it('is not made over plain HTTP if the certificate is invalid', async () => {
    const { page, sites } = await start(
      { 'http://example.com/': html },
      { certificate: 'expired' },
    );
    expect(await page()).toMatchObject({
      fetchState: 'http_error',
      problem: { code: 'site_unreachable' },
    });
    expect(sites.requests).toEqual([]);
  });
});
