import { describe, expect, it } from 'vitest';
import { aliases } from '../../src/app/endpoints.ts';
import { guideFiles, pagePath } from '../../src/website/docs/guides.ts';
import { html } from '../../src/website/docs/html.ts';
import { metricsTable } from '../../src/metrics/table.ts';
import { problems } from '../../src/domain/problems.ts';
import mergedPagesTable from '../../src/website/docs/merged-pages.json' with { type: 'json' };
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { guides } from '../support/checks/guides.ts';

/** All pages but the REST reference, whose content scripts render. */
const pages = Object.keys(guideFiles)
  .filter((name) => name !== 'reference')
  .map(pagePath);

const { moved, movedTo } = await import(
  new URL('../../src/website/docs/client/moved.js', import.meta.url).href
);
const movedSections = Object.entries<Record<string, string[]>>(moved).flatMap(([from, targets]) =>
  Object.values(targets).flatMap((anchors) => anchors.map((anchor) => ({ from, anchor }))),
);

/** The page that has the text of each former page. */
const mergedPages: Record<string, string> = mergedPagesTable;

const texts = new Map<string, string>();

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0' } });
for (const path of pages) texts.set(path, await (await gateway.fetch(path)).text());

const textOf = (path: string) => texts.get(path) ?? '';
const anchorsIn = (text: string) =>
  Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id = '']) => id);
const linksIn = (text: string) =>
  Array.from(text.matchAll(/\s(?:href|src)="([^"]+)"/g), ([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );

/** Returns the text of a page, or an empty one if there is none. */
async function readPage(path: string): Promise<string> {
  const response = await gateway.fetch(path, { headers: { accept: 'text/html' } });
  return response.ok ? response.text() : '';
}

describe('the documentation', () => {
  it.each(pages)(
    '%s is a page without inline scripts that may be cached for five minutes',
    async (path) => {
      const { status, headers } = await gateway.fetch(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('public, max-age=300');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(textOf(path)).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    },
  );

  it.each(['/docs/reference', '/docs/search.json', '/openapi.json', '/schema.graphql', ...pages])(
    '%s has the same headers for HEAD as for GET',
    async (path) => {
      const [get, head] = [
        await gateway.fetch(path),
        await gateway.fetch(path, { method: 'HEAD' }),
      ];
      expect(await head.text()).toBe('');
      for (const name of [
        'content-type',
        'content-length',
        'cache-control',
        'content-security-policy',
      ])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
    },
  );

  it.each(pages)('%s has only links to pages and anchors that exist', async (path) => {
    for (const link of new Set(linksIn(textOf(path)))) {
      const { origin, pathname, hash } = new URL(link, `${gateway.url}${path}`);
      if (origin !== gateway.url) continue;
      const text = texts.get(pathname) ?? (await readPage(pathname));
      expect([link, text !== '']).toEqual([link, true]);
      if (hash)
        expect([link, anchorsIn(text)]).toEqual([link, expect.arrayContaining([hash.slice(1)])]);
    }
  });

  it.each(pages)('%s links to the search page', (path) => {
    const [, href = ''] = /<a class="site-name" href="([^"]+)">/.exec(textOf(path)) ?? [];
    expect(new URL(href, `${gateway.url}${path}`).href).toBe(`${gateway.url}/`);
  });

  it.each(['GET', 'HEAD'])(
    'redirects %s of a path with a trailing slash, also below a path of a proxy',
    async (method) => {
      for (const path of pages) {
        const { status, headers } = await gateway.fetch(`${path}/`, { method, redirect: 'manual' });
        expect(status).toBe(308);
        expect(new URL(headers.get('location') ?? '', `https://a.example/below${path}/`).href).toBe(
          `https://a.example/below${path}`,
        );
      }
      expect((await gateway.fetch('/docs/', { method })).url).toBe(`${gateway.url}/docs`);
      for (const path of [
        '/docs/nothing/',
        '/docs//',
        '/docsets/',
        '/v1/status/',
        '/openapi.json/',
        '/health/',
      ]) {
        expect([path, (await gateway.fetch(path, { method })).status]).toEqual([path, 404]);
      }
    },
  );

  it.each(pages)('%s loads nothing from other hosts', (path) => {
    const loaded = Array.from(
      textOf(path).matchAll(/<(?:link|img|script|iframe|source)[^>]*\s(?:href|src)="([^"]+)"/g),
      ([, link = '']) => link,
    );
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((link) => /^(?:\w+:|\/\/)/.test(link))).toEqual([]);
  });

  it.each(pages)('%s has no duplicate anchors', (path) => {
    const anchors = anchorsIn(textOf(path));
    expect(anchors).toEqual(Array.from(new Set(anchors)));
  });

  it.each(Object.keys(problems))(
    'explains the problem %s at the anchor that its type names',
    (code) => {
      expect(anchorsIn(textOf('/docs/errors'))).toContain(code);
    },
  );

  it('has the page and anchor that the type of a problem links to', async () => {
    const { type } = await gateway.get('/v1/rdap');
    const { origin, pathname, hash } = new URL(type);
    expect(origin).toBe(gateway.url);
    expect(anchorsIn(textOf(pathname))).toContain(hash.slice(1));
  });

  it.each(aliases)(
    'lists the alias $name of $method $path',
    ({ method, path, name, replacement }) => {
      const rows = textOf('/docs/versioning').split('<tr>');
      const row = rows.find(
        (each) =>
          each.includes(`<code>${name}</code>`) && each.includes(`<code>${method} ${path}</code>`),
      );
      expect(row).toContain(`<code>${html`${replacement}`.html}</code>`);
    },
  );

  it('has the page and anchor that the Link header of a deprecated alias names', async () => {
    const { headers } = await gateway.fetch('/v1/tech?skip_cache');
    const { pathname, hash } = new URL(/<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    expect(pathname).toBe('/docs/versioning');
    expect(anchorsIn(textOf(pathname))).toEqual(expect.arrayContaining([hash.slice(1)]));
    for (const name of ['deprecation', 'sunset', 'link'])
      expect(textOf(pathname)).toContain(html`${headers.get(name) ?? ''}`.html);
  });

  it('shows examples of REST with the URL of the gateway', () => {
    expect(textOf('/docs/rest-api')).toContain(`${gateway.url}/v1/rdap?domain=taken.dns-only.test`);
  });

  it('shows examples of GraphQL with the URL of the gateway', () => {
    expect(textOf('/docs/graphql-guide')).toContain(`curl -s ${gateway.url}/graphql`);
    expect(textOf('/docs/graphql-guide')).not.toContain('127.0.0.1:4000');
  });

  it('lists every path of the OpenAPI document', async () => {
    const { paths } = await gateway.get('/openapi.json');
    expect(Object.keys(paths).length).toBeGreaterThan(10);
    const reference = await (await gateway.fetch('/docs/reference.md')).text();
    const headings = reference.split('\n').filter((line) => line.startsWith('## '));
    const missing = Object.keys(paths).filter(
      (path) => !headings.some((heading) => heading.endsWith(` ${path}`)),
    );
    expect(missing).toEqual([]);
  });

  it.each(Object.keys(metricsTable))('explains the metric %s', (name) => {
    expect(textOf('/docs/metrics')).toContain(`<code>${name}</code>`);
  });

  it('has a page for each Markdown file of docs/ and for the changelog', () => {
    const files = guides.map(({ path }) => path).filter((path) => path !== 'README.md');
    expect(Object.values(guideFiles).toSorted()).toEqual(files.toSorted());
  });

  it.each(pages)('is linked from %s, page by page', (path) => {
    const linked = new Set(
      linksIn(textOf(path)).map((link) => new URL(link, `${gateway.url}${path}`).pathname),
    );
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });

  it('has the addresses that the README lists', async () => {
    const readme = guides.find(({ path }) => path === 'README.md')?.text ?? '';
    const listed = Array.from(
      readme.matchAll(/^\| `http:\/\/127\.0\.0\.1:4000(\S*)`/gm),
      ([, path = '']) => path,
    );
    expect(listed).toEqual(expect.arrayContaining(['/', '/graphql', '/docs', '/mcp', '/rdap']));
    for (const path of listed) {
      // A GET of `/mcp` is not allowed, and `/rdap` alone redirects to nothing.
      const { status } = await gateway.fetch(path === '/rdap' ? '/rdap/help' : path);
      expect([path, status]).toEqual([path, path === '/mcp' ? 405 : expect.toBeOneOf([200, 400])]);
    }
  });

  it('links guides to each other, and names files of the repository without a link', () => {
    expect(textOf('/docs/getting-started')).toContain(
      '<a href="../docs/deployment#nodejs-versions">',
    );
    expect(textOf('/docs/operations')).toContain('<a href="../docs/changelog">');
    expect(textOf('/docs/deployment')).not.toContain('compose.yaml"');
  });

  it.each(Object.entries(mergedPages))(
    'redirects %s, which is a part of %s',
    async (name, target) => {
      for (const end of ['', '.md']) {
        const path = `/docs/${name}${end}`;
        const { status, headers } = await gateway.fetch(path, { redirect: 'manual' });
        expect([status, headers.get('location')]).toEqual([308, `${target}${end}`]);
        expect((await gateway.fetch(path)).status).toBe(200);
      }
    },
  );

  it.each(movedSections)('has the section $anchor of $from at its new page', ({ from, anchor }) => {
    const address = movedTo(from, anchor);
    const { pathname, hash } = new URL(address, `${gateway.url}/docs/${from}`);
    expect(anchorsIn(textOf(pathname))).toContain(hash.slice(1));
    expect(anchorsIn(textOf(`/docs/${from}`))).not.toContain(anchor);
  });

  it('states in the changelog when the aliases were deprecated, and where they come from', () => {
    expect(textOf('/docs/changelog')).toMatch(
      /deprecated names are those of the public <code>\/v1<\/code> API, with which the gateway is compatible/,
    );
    expect(textOf('/docs/changelog')).toContain('2026-10-10');
    expect(textOf('/docs/changelog')).toContain('2027-10-10');
  });
});

it('a template escapes every value that is not HTML', () => {
  const hostile = `<script>alert("1")</script>' onload='x`;
  const { html: text } = html`<a title="${hostile}">${[html`<b>${hostile}</b>`]}</a>`;
  expect(text.match(/<\/?[a-z]+/g)).toEqual(['<a', '<b', '</b', '</a']);
  expect(text.match(/["']/g)).toEqual(['"', '"']);
});
