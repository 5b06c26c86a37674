import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aliases } from '../../src/http/response/deprecations.ts';
import { html, prose } from '../../src/http/pages/docs/html.ts';
import { problems } from '../../src/domain/problems.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';

const pages = [
  '/docs',
  '/docs/versioning',
  '/docs/errors',
  '/docs/changelog',
  '/docs/operations',
  '/docs/reliability',
];

let gateway: Gateway;
const texts = new Map<string, string>();
beforeAll(async () => {
  gateway = await startGateway();
  for (const path of pages) texts.set(path, await (await gateway.fetch(path)).text());
});
afterAll(() => gateway[Symbol.asyncDispose]());

const textOf = (path: string) => texts.get(path) ?? '';
const anchorsIn = (text: string) =>
  Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id = '']) => id);
const linksIn = (text: string) =>
  Array.from(text.matchAll(/\s(?:href|src)="([^"]+)"/g), ([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );

describe('the documentation', () => {
  it.each(pages)('%s is a page that may be kept for a while, and runs nothing', async (path) => {
    const { status, headers } = await gateway.fetch(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self';/,
    );
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(textOf(path)).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
  });

  it.each(['/docs/style.css', '/openapi.json', ...pages])(
    '%s is to HEAD as to GET',
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

  it.each(pages)('%s links to nothing that is not there', async (path) => {
    for (const link of linksIn(textOf(path))) {
      const { origin, pathname, hash } = new URL(link, `${gateway.url}${path}`);
      if (origin !== gateway.url) continue;
      const found = await gateway.fetch(pathname, { headers: { accept: 'text/html' } });
      expect([link, found.status]).toEqual([link, 200]);
      if (hash)
        expect([link, anchorsIn(await found.text())]).toEqual([
          link,
          expect.arrayContaining([hash.slice(1)]),
        ]);
    }
  });

  it.each(pages)('%s leads to the search page by the name at its head', (path) => {
    const [, href = ''] =
      /<p class="name"><a href="([^"]+)">Domain gateway</.exec(textOf(path)) ?? [];
    expect(new URL(href, `${gateway.url}${path}`).href).toBe(`${gateway.url}/`);
  });

  it.each(['GET', 'HEAD'])(
    'leads from a path with a slash too many to the page, also behind a path of a proxy: %s',
    async (method) => {
      for (const path of pages) {
        const { status, headers } = await gateway.fetch(`${path}/`, { method, redirect: 'manual' });
        expect([
          status,
          new URL(headers.get('location') ?? '', `https://a.example/below${path}/`).href,
        ]).toEqual([308, `https://a.example/below${path}`]);
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

  it.each(pages)('%s loads nothing from another host', (path) => {
    const loaded = Array.from(
      textOf(path).matchAll(/<(?:link|img|script|iframe|source)[^>]*\s(?:href|src)="([^"]+)"/g),
      ([, link = '']) => link,
    );
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((link) => /^(?:\w+:|\/\/)/.test(link))).toEqual([]);
  });

  it.each(pages)('%s has every anchor once', (path) => {
    const anchors = anchorsIn(textOf(path));
    expect(anchors).toEqual(Array.from(new Set(anchors)));
  });

  it.each(Object.keys(problems))('explains %s where the type of the problem leads', (code) => {
    expect(anchorsIn(textOf('/docs/errors'))).toContain(code);
  });

  it('is where the type of a real problem leads', async () => {
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

  it('is where the Link of a deprecation leads', async () => {
    const { headers } = await gateway.fetch('/v1/tech?skip_cache');
    const { pathname, hash } = new URL(/<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '');
    expect([pathname, anchorsIn(textOf(pathname))]).toEqual([
      '/docs/versioning',
      expect.arrayContaining([hash.slice(1)]),
    ]);
    for (const name of ['deprecation', 'sunset', 'link'])
      expect(textOf(pathname)).toContain(html`${headers.get(name) ?? ''}`.html);
  });

  it.each([
    '/v1/status?name=',
    '/v1/rdap?domain=',
    '/v1/status/bulk -H',
    '/v1/tlds?limit=',
    '/v1/coverage',
    '/graphql -H',
  ])('has an example of %s at its own address', (call) => {
    expect(textOf('/docs')).toContain(`${gateway.url}${call}`);
  });

  it('names the prices of the README, row for row', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, rows = ''] =
      /\| what is asked +\| credits +\|\n\|[- |]+\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
    const inReadme = Array.from(
      rows.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm),
      ([, what = '', credits = '']) => [what, credits],
    );
    const [, section = ''] = /<section id="prices">([^]+?)<\/section>/.exec(textOf('/docs')) ?? [];
    const onPage = section.matchAll(/<th scope="row">([^]+?)<\/th>\s*<td>([^]+?)<\/td>/g);
    expect(inReadme.length).toBeGreaterThan(4);
    expect(Array.from(onPage, ([, what, credits]) => [what, credits])).toEqual(
      inReadme.map((row) => row.map((cell) => prose(cell).html)),
    );
  });

  it('says when what became old', () => {
    expect(textOf('/docs/changelog')).toContain('<time>2026-10-10</time>');
    expect(textOf('/docs/changelog')).toContain('2027-10-10');
  });
});

describe('a template', () => {
  it('lets nothing but templates be HTML', () => {
    const hostile = `<script>alert("1")</script>' onload='x`;
    const { html: text } = html`<a title="${hostile}">${[html`<b>${hostile}</b>`]}</a>`;
    expect(text.match(/<\/?[a-z]+/g)).toEqual(['<a', '<b', '</b', '</a']);
    expect(text.match(/["']/g)).toEqual(['"', '"']);
  });

  it('shows what stands between backticks as code', () => {
    expect(prose('`<b>` & `x`').html).toBe('<code>&lt;b&gt;</code> &amp; <code>x</code>');
  });
});
