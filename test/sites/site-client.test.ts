import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SiteClient } from '../../src/sites/site-client.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeSites, type FakePage, type FakeSites } from '../support/servers/fake-site.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { problemText, siteClient, siteRequest } from '../support/bodies/site-requests.ts';

async function start(
  pages: Readonly<Record<string, FakePage>>,
  options?: Parameters<typeof startFakeSites>[1],
): Promise<{ client: SiteClient; sites: FakeSites }> {
  const sites = await forThisTest(startFakeSites, pages, options);
  const client = siteClient(sites);
  onTestFinished(() => client.destroy());
  return { client, sites };
}

const page = new URL('https://example.com/');
const redirect = (location: string, status = 302): FakePage => ({ status, headers: { location } });
const limit = 512 * 1024;

const hop = (index: number) => `https://example.com/${index}`;

describe('the client of sites', () => {
  it('reads a page over TLS and identifies itself by `User-Agent`', async () => {
    const { client, sites } = await start({ [page.href]: { body: 'Hello' } });
    const response = await client.get(page, siteRequest(), { headers: { accept: 'text/html' } });
    expect({ ...response, body: String(response.body) }).toMatchObject({
      url: page,
      status: 200,
      isTruncated: false,
      headers: { 'content-type': 'text/html' },
    });
    expect(Buffer.from(response.body).toString()).toBe('Hello');
    expect(sites.requests[0]?.headers).toMatchObject({
      host: 'example.com',
      'user-agent': 'rdap-gateway-test',
      'accept-encoding': 'gzip',
      accept: 'text/html',
    });
  });

  it('reads the body of every status', async () => {
    const { client } = await start({ [page.href]: { status: 503, body: 'Later' } });
    const { status, body } = await client.get(page, siteRequest());
    expect([status, Buffer.from(body).toString()]).toEqual([503, 'Later']);
  });

  it('follows redirects between sites and collects their cookies without values', async () => {
    const { client } = await start({
      'http://example.com/': {
        status: 301,
        headers: { location: 'https://www.example.net/a', 'set-cookie': ['first=1; Path=/'] },
      },
      'https://www.example.net/a': redirect('b?c#d', 307),
      'https://www.example.net/b?c': { headers: { 'set-cookie': ['second=2', 'first=3'] } },
    });
    const response = await client.get(new URL('http://example.com/'), siteRequest());
    expect(response.url.href).toBe('https://www.example.net/b?c');
    expect(response.redirects).toEqual([
      { url: 'http://example.com/', status: 301 },
      { url: 'https://www.example.net/a', status: 307 },
    ]);
    expect(response.cookieNames).toEqual(['first', 'second']);
    expect(response.headers).not.toHaveProperty('set-cookie');
  });

  it('returns headers without cookies and e-mail addresses', async () => {
    const link = '<https://cdn.example.com/vue@3.5.1/vue.js>; rel=preload';
    const { client } = await start({
      'http://example.com/': {
        headers: {
          'set-cookie2': 'id=1',
          'x-author': 'Joe joe@corp.example',
          link: [link, '<mailto:joe@corp.example?cc=jo%40corp.example>; rel=author'],
        },
      },
    });
    const { headers } = await client.get(new URL('http://example.com/'), siteRequest());
    expect(headers).not.toHaveProperty('set-cookie2');
    expect(headers).toMatchObject({
      'x-author': 'Joe ',
      link: `${link}, <mailto:?cc=>; rel=author`,
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('decompresses %s', async (encoding, compress) => {
    const body = compress('compressed '.repeat(1000));
    const { client } = await start({
      [page.href]: { headers: { 'content-encoding': encoding }, body },
    });
    const response = await client.get(page, siteRequest());
    expect(Buffer.from(response.body).toString()).toBe('compressed '.repeat(1000));
    expect(response.isTruncated).toBe(false);
  });

  it('decompresses what arrived of a body that ends early', async () => {
    const body = gzipSync('text '.repeat(1000));
    const { client } = await start({
      [page.href]: { headers: { 'content-encoding': 'gzip' }, body: body.subarray(0, -12) },
    });
    const response = await client.get(page, siteRequest());
    expect(Buffer.from(response.body).toString()).toMatch(/^text text /);
  });

  it.each([limit, limit + 1])('reads at most 512 KiB of %d bytes', async (length) => {
    const { client } = await start({ [page.href]: { body: 'x'.repeat(length) } });
    const { body, isTruncated } = await client.get(page, siteRequest());
    expect([body.length, isTruncated]).toEqual([limit, length > limit]);
  });

  it('cuts off a compressed body of 1 GB', async () => {
    const block = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    const body = Buffer.concat(Array.from({ length: 64 }, () => block));
    const { client } = await start({
      [page.href]: { headers: { 'content-encoding': 'gzip' }, body },
    });
    const response = await client.get(page, siteRequest());
    expect([response.body.length, response.isTruncated]).toEqual([limit, true]);
  });

  it.each(['', 'gzip'])('stops reading an endless body (%s)', async (encoding) => {
    const emptyMember = gzipSync('');
    const { client } = await start({
      [page.href]: (response) => {
        response.writeHead(200, encoding ? { 'content-encoding': encoding } : {});
        const write = () => {
          const block = encoding ? Buffer.concat(Array(500).fill(emptyMember)) : 'x'.repeat(9999);
          while (!response.destroyed && response.write(block));
        };
        response.on('drain', write);
        write();
      },
    });
    const { isTruncated } = await client.get(page, siteRequest());
    expect(isTruncated).toBe(true);
  });

  it('limits headers and cookies', async () => {
    const headers = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`x-${index}`, 'v'.repeat(index === 0 ? 9000 : 9)]),
    );
    const cookies = Array.from({ length: 60 }, (_, index) => `c${index}=secret`);
    const { client } = await start({
      [page.href]: { headers: { ...headers, 'set-cookie': cookies } },
    });
    const response = await client.get(page, siteRequest());
    expect(Object.keys(response.headers)).toHaveLength(100);
    expect(response.headers['x-0']).toHaveLength(8000);
    expect(response.cookieNames).toHaveLength(50);
    expect(JSON.stringify(response)).not.toContain('secret');
  });

  it('joins repeated headers, but keeps the lines of X-Robots-Tag apart', async () => {
    const lines = ['googlebot: nofollow', 'noindex'];
    const { client } = await start({
      [page.href]: { headers: { 'x-robots-tag': lines, link: ['<a>', '<b>'] } },
    });
    const { headers } = await client.get(page, siteRequest());
    expect(headers).toMatchObject({
      'x-robots-tag': 'googlebot: nofollow\nnoindex',
      link: '<a>, <b>',
    });
  });

  it('returns a redirect without a target', async () => {
    const { client } = await start({ [page.href]: { status: 302 } });
    expect(await client.get(page, siteRequest())).toMatchObject({ status: 302, redirects: [] });
  });

  it('reports that the site is contacted once per read', async () => {
    const { client } = await start({ [page.href]: redirect('/a'), 'https://example.com/a': {} });
    let sent = 0;
    await client.get(page, siteRequest({ onSent: () => (sent += 1) }));
    expect(sent).toBe(1);
  });

  it('calls `beforeRequest` before each request, redirects included', async () => {
    const { client, sites } = await start({ [page.href]: redirect('/a') });
    const checked: string[] = [];
    const beforeRequest = async (url: URL) => {
      checked.push(url.href);
      if (url.pathname === '/a') throw new Error('forbidden');
    };
    await expect(client.get(page, siteRequest(), { beforeRequest })).rejects.toThrow('forbidden');
    expect(checked).toEqual([page.href, 'https://example.com/a']);
    expect(sites.requests).toHaveLength(1);
  });
});

describe('a site that cannot be read', () => {
  it.each([
    ['expired', 'The certificate has expired'],
    ['wrong-name', 'The certificate is for another name'],
    ['self-signed', 'The certificate is self-signed'],
  ] as const)('has a problem if its certificate is %s', async (certificate, text) => {
    const { client } = await start({ [page.href]: {} }, { certificate });
    expect(await problemText(client.get(page, siteRequest()))).toBe(
      `site_unreachable: example.com could not be reached: ${text[0]?.toLowerCase()}${text.slice(1)}.`,
    );
  });

  it.each<[string, FakePage, string]>([
    ['resets the connection', (response) => response.destroy(), 'closed the connection'],
    [
      'resets the connection within the body',
      (response) => response.writeHead(200).write('x', () => response.destroy()),
      'closed the connection',
    ],
    [
      'sends an unknown encoding',
      { headers: { 'content-encoding': 'br' }, body: 'x' },
      'an encoding that was not accepted',
    ],
    [
      'sends an invalid encoding',
      { headers: { 'content-encoding': 'gzip' }, body: 'no gzip' },
      'cannot be decoded',
    ],
    ['sends no HTTP', (response) => response.socket?.write('SSH-2.0 \r\n\r\n'), 'an invalid HTTP'],
    ['redirects to itself', redirect('/'), 'redirects in a loop'],
    ['redirects to an invalid URL', redirect('http://['), 'redirects to an invalid URL'],
  ])('is unreachable if it %s', async (_what, reply, text) => {
    const { client } = await start({ [page.href]: reply });
    const problem = await problemText(client.get(page, siteRequest()));
    expect(problem).toMatch(/^site_unreachable: example\.com /);
    expect(problem).toContain(text);
  });

  it('is unreachable after more than five redirects', async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [hop(index), redirect(hop(index + 1))]),
    );
    const { client } = await start({ ...pages, [hop(7)]: {} });
    expect(await client.get(new URL(hop(2)), siteRequest())).toMatchObject({ status: 200 });
    const body = await problemText(client.get(new URL(hop(1)), siteRequest()));
    expect(body).toBe('site_unreachable: example.com redirects more than 5 times.');
  });

  it.each<[string, (response: Parameters<Extract<FakePage, Function>>[0]) => void]>([
    ['no response', () => undefined],
    ['no body', (response) => response.writeHead(200).flushHeaders()],
    ['a slow redirect', (response) => response.writeHead(302, { location: '/a' }).write('x')],
  ])('times out if it sends %s', async (_what, reply) => {
    const { client } = await start({ [page.href]: reply });
    const body = await problemText(client.get(page, siteRequest(), { timeoutMs: 100 }));
    expect(body).toBe('site_timeout: example.com did not respond in time.');
  });

  it('has one time limit for all redirects', async () => {
    const clock = manualClock();
    const after = (ms: number, location: string): FakePage => {
      return (response) => {
        clock.advance(ms);
        response.writeHead(302, { location }).end();
      };
    };
    await using sites = await startFakeSites({
      [page.href]: after(2000, '/a'),
      'https://example.com/a': after(2000, '/b'),
      'https://example.com/b': after(1000, '/c'),
    });
    const client = siteClient(sites, { clock });
    expect(await problemText(client.get(page, siteRequest()))).toMatch(/^site_timeout/);
    expect(sites.requests.length).toBe(3);
    await client.destroy();
  });

  it('is unreachable without a server, and without an address', async () => {
    const { client } = await start({ [page.href]: {} }, { closed: [443] });
    expect(await problemText(client.get(page, siteRequest()))).toMatch(/^site_unreachable/);
    expect(await problemText(client.get(new URL('http://missing.example/'), siteRequest()))).toBe(
      'site_unreachable: missing.example could not be reached: the name has no address.',
    );
    // Another request does not change that, but a closed port may be opened.
    await expect(client.get(page, siteRequest())).rejects.toMatchObject({ retryable: true });
    await expect(
      client.get(new URL('http://missing.example/'), siteRequest()),
    ).rejects.toMatchObject({ retryable: false });
  });

  it('is not worth another request if it redirects in a loop', async () => {
    const { client } = await start({ [page.href]: redirect('/') });
    await expect(client.get(page, siteRequest())).rejects.toMatchObject({
      code: 'site_unreachable',
      retryable: false,
    });
  });

  it('ends when the caller cancels', async () => {
    const cancelled = new AbortController();
    const { client } = await start({ [page.href]: () => cancelled.abort() });
    const { signal } = cancelled;
    const body = await problemText(client.get(page, siteRequest({ signal })));
    expect(body).toMatch(/^site_timeout: .*cancelled/);
  });
});
