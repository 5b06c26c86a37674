import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway);
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const assetPaths = pathsIn(await (await openPage()).text());

function openPage(path = '/graphql'): Promise<Response> {
  return gateway.fetch(path, { headers: { accept: browserAccept } });
}

/** Returns the absolute paths of the files that a page loads. */
function pathsIn(html: string): readonly string[] {
  const links = Array.from(
    html.matchAll(/(?:src|href)="([^"]+)"/g),
    ([, link = '']) => new URL(link, `${gateway.url}/graphql`),
  );
  return links
    .map(({ origin, pathname }) => (origin === gateway.url ? pathname : origin))
    .filter((path) => !['/', '/graphql', '/docs'].includes(path));
}

/** Sends a GET request without decoding the body, as fetch would. */
async function rawGet(
  path: string,
  acceptEncoding?: string,
): Promise<{ headers: IncomingMessage['headers']; bytes: Buffer }> {
  const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
  const sent = request(new URL(path, gateway.url), { headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { headers: response.headers, bytes: Buffer.concat(chunks) };
}

describe('the GraphiQL page', () => {
  it('is returned to browsers at /graphql', async () => {
    const page = await openPage();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<title>GraphiQL');
  });

  it('is returned for a link to an operation, but not to API clients', async () => {
    const apiClient = await gateway.fetch('/graphql?query={__typename}');
    expect(await apiClient.json()).toEqual({ data: { __typename: 'Query' } });
    const browser = await openPage('/graphql?query={__typename}');
    expect(await browser.text()).toContain('<title>GraphiQL');
    const withoutQuery = await gateway.fetch('/graphql', {
      headers: { accept: 'application/json' },
    });
    expect(withoutQuery.headers.get('content-type')).toContain('application/json');
  });

  it('is the redirect target of /graphql/ for browsers, but not for API clients', async () => {
    const page = await openPage('/graphql/');
    expect(page.url).toBe(`${gateway.url}/graphql`);
    expect(await page.text()).toContain('<title>GraphiQL');
    const json = { accept: 'application/json', 'content-type': 'application/json' };
    expect((await gateway.fetch('/graphql/', { headers: json })).status).toBe(404);
    const { url } = await openPage('/graphql/?query={a}');
    expect(url).toBe(`${gateway.url}/graphql?query=%7Ba%7D`);
    const { status } = await gateway.fetch('/graphql/', {
      method: 'POST',
      headers: json,
      body: '{"query":"{__typename}"}',
    });
    expect(status).toBe(404);
  });

  it('allows the browser to load only files of the gateway', async () => {
    const page = await openPage();
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('script-src');
    expect(policy).not.toContain('unsafe');
    expect(await page.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it('is revalidated each time, and is never returned from caches to API clients', async () => {
    const page = await openPage();
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect(page.headers.get('vary')).toContain('Accept');
  });

  it('has the same headers and no body for HEAD', async () => {
    const [page, head] = await Promise.all([
      openPage(),
      gateway.fetch('/graphql', { method: 'HEAD', headers: { accept: browserAccept } }),
    ]);
    expect(await head.text()).toBe('');
    for (const name of ['content-type', 'content-length', 'content-security-policy'])
      expect(head.headers.get(name)).toBe(page.headers.get(name));
  });
});

describe('the files of the GraphiQL page', () => {
  it('are served by the gateway with their media types', async () => {
    expect(assetPaths.length).toBeGreaterThan(5);
    const types: Record<string, string> = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      svg: 'image/svg+xml',
    };
    for (const path of assetPaths) {
      const { headers, bytes } = await rawGet(path);
      expect(headers['content-type']).toBe(types[path.split('.').at(-1) ?? '']);
      expect(bytes.length).toBeGreaterThan(50);
    }
  });

  it('are cached permanently, under paths that change with their content', async () => {
    for (const path of assetPaths) {
      const { headers } = await rawGet(path);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(path).toMatch(/^\/assets\/(?:[a-z-]+-\d+\.\d+\.\d+|[0-9a-f]{12})\/[\w.-]+$/);
    }
  });

  it.each([
    { accepted: 'gzip, deflate, br', sent: 'br', decode: brotliDecompressSync },
    { accepted: 'gzip', sent: 'gzip', decode: gunzipSync },
    { accepted: 'br;q=0, *', sent: 'gzip', decode: gunzipSync },
    { accepted: 'zstd', sent: undefined, decode: (bytes: Buffer) => bytes },
  ])(
    'are encoded as $sent for Accept-Encoding "$accepted", with the same content',
    async ({ accepted, sent, decode }) => {
      for (const path of assetPaths) {
        const [plain, encoded] = await Promise.all([rawGet(path), rawGet(path, accepted)]);
        expect(plain.headers['content-encoding']).toBeUndefined();
        expect(encoded.headers['content-encoding']).toBe(sent);
        expect(encoded.headers.vary).toContain('Accept-Encoding');
        expect(decode(encoded.bytes).equals(plain.bytes)).toBe(true);
      }
    },
  );

  it.each(['br', 'gzip'])('have a total size below 2.5 MB as %s', async (encoding) => {
    const files = await Promise.all(assetPaths.map((path) => rawGet(path, encoding)));
    expect(files.reduce((total, { bytes }) => total + bytes.length, 0)).toBeLessThan(2_500_000);
  });

  it('have the same headers and no body for HEAD', async () => {
    for (const path of assetPaths) {
      const [{ headers }, head] = await Promise.all([
        rawGet(path, 'br'),
        gateway.fetch(path, { method: 'HEAD', headers: { 'accept-encoding': 'br' } }),
      ]);
      expect(await head.text()).toBe('');
      for (const name of ['content-type', 'content-length', 'content-encoding'])
        expect(head.headers.get(name)).toBe(headers[name]);
    }
  });

  it('vary by origin if only some origins are allowed', async () => {
    await using restricted = await startGateway({ env: { CORS_ORIGINS: 'https://app.example' } });
    const [path = ''] = assetPaths;
    const { headers } = await restricted.fetch(path, {
      headers: { origin: 'https://app.example' },
    });
    expect(headers.get('vary')?.split(', ')).toEqual(['Origin', 'Accept-Encoding']);
  });
});
