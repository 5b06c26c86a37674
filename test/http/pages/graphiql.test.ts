import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../../support/gateway.ts';

let gateway: Gateway;
let assetPaths: readonly string[];
beforeAll(async () => {
  gateway = await startGateway();
  assetPaths = pathsIn(await (await openPage()).text());
});
afterAll(() => gateway[Symbol.asyncDispose]());

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function openPage(path = '/graphql'): Promise<Response> {
  return gateway.fetch(path, { headers: { accept: browserAccept } });
}

/** Whatever the page makes a browser fetch, as absolute paths. */
function pathsIn(html: string): readonly string[] {
  const links = Array.from(
    html.matchAll(/(?:src|href)="([^"]+)"/g),
    ([, link = '']) => new URL(link, `${gateway.url}/graphql`),
  );
  return links.map(({ origin, pathname }) => (origin === gateway.url ? pathname : origin));
}

/** As fetch would not tell: what was really sent. */
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
  it('is what a browser gets at /graphql', async () => {
    const page = await openPage();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<title>GraphiQL');
  });

  it('stands in nobody’s way who sends a query, from a browser or elsewhere', async () => {
    const program = await gateway.fetch('/graphql?query={__typename}');
    expect(await program.json()).toEqual({ data: { __typename: 'Query' } });
    const browser = await openPage('/graphql?query={__typename}');
    expect(await browser.json()).toEqual({ data: { __typename: 'Query' } });
    const nothing = await gateway.fetch('/graphql', { headers: { accept: 'application/json' } });
    expect(nothing.headers.get('content-type')).toContain('application/json');
  });

  it('is where a browser is led that puts a slash behind the path, and a program is not', async () => {
    const page = await openPage('/graphql/');
    expect([page.url, await page.text()]).toEqual([
      `${gateway.url}/graphql`,
      expect.stringContaining('<title>GraphiQL'),
    ]);
    const json = { accept: 'application/json', 'content-type': 'application/json' };
    expect((await gateway.fetch('/graphql/', { headers: json })).status).toBe(404);
    expect((await openPage('/graphql/?query={__typename}')).status).toBe(404);
    expect(
      (
        await gateway.fetch('/graphql/', {
          method: 'POST',
          headers: json,
          body: '{"query":"{__typename}"}',
        })
      ).status,
    ).toBe(404);
  });

  it('lets the browser load and run nothing but files of the gateway', async () => {
    const page = await openPage();
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain('script-src');
    expect(policy).not.toContain('unsafe');
    expect(await page.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it('is asked for anew each time, and never taken for an answer to a program', async () => {
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

describe('the files that the page names', () => {
  it('are all answered by the gateway, each as what it is', async () => {
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

  it('are kept for good, under paths that change with their content', async () => {
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
    'are sent as $sent to who accepts "$accepted", and say the same',
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

  it.each(['br', 'gzip'])('weigh less than 2.5 MB in all as %s', async (encoding) => {
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

  it('vary with the origin too where only some may call', async () => {
    await using choosy = await startGateway({ env: { CORS_ORIGINS: 'https://app.example' } });
    const [path = ''] = assetPaths;
    const { headers } = await choosy.fetch(path, { headers: { origin: 'https://app.example' } });
    expect(headers.get('vary')?.split(', ')).toEqual(['Origin', 'Accept-Encoding']);
  });
});
