import { marked, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { guideFiles, pagePath as pathOf } from '../../src/website/docs/guides.ts';
import { problems } from '../../src/domain/problems.ts';
import openapi from '../../schema/openapi.json' with { type: 'json' };
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { linksIn } from '../support/checks/guides.ts';

const names = Object.keys(guideFiles);

const texts = new Map<string, string>();

const gateway = await forThisFile(startGateway, { env: { RATE_LIMIT: '0' } });
for (const name of names) texts.set(name, await (await gateway.fetch(`${pathOf(name)}.md`)).text());

const textOf = (name: string) => texts.get(name) ?? '';
const contentTypeFor = async (path: string, accept?: string) => {
  const { headers } = await gateway.fetch(
    path,
    accept === undefined ? {} : { headers: { accept } },
  );
  return headers.get('content-type');
};

describe.each(names.map((name) => ({ path: pathOf(name), name })))('$path', ({ path, name }) => {
  it('is Markdown at its path with .md, and for clients that prefer Markdown', async () => {
    const markdown = 'text/markdown; charset=utf-8';
    const html = 'text/html; charset=utf-8';
    expect(await contentTypeFor(`${path}.md`, 'text/html')).toBe(markdown);
    expect(await contentTypeFor(path, 'text/markdown')).toBe(markdown);
    expect(await contentTypeFor(path, 'text/markdown, text/html, */*')).toBe(markdown);
    expect(await contentTypeFor(path, 'text/html, text/markdown;q=0.9')).toBe(html);
    expect(await contentTypeFor(path, '*/*')).toBe(html);
    expect(await contentTypeFor(path)).toBe(html);
  });

  it('varies by Accept at the path with two forms', async () => {
    for (const accept of ['text/html', 'text/markdown']) {
      const { headers } = await gateway.fetch(path, { headers: { accept } });
      expect(headers.get('vary')?.split(', ')).toEqual(['Accept', 'Accept-Encoding']);
    }
    expect((await gateway.fetch(`${path}.md`)).headers.get('vary')).toBe('Accept-Encoding');
  });

  it('has a title and no HTML', () => {
    expect(textOf(name)).toMatch(/^# \S.*\n\n/);
    const html: string[] = [];
    void marked.walkTokens(marked.lexer(textOf(name)), (token) => {
      if (token.type === 'html') html.push(token.raw);
    });
    expect(html).toEqual([]);
  });

  it('links to pages of this gateway that exist, as Markdown', async () => {
    const links = linksIn(textOf(name)).filter((link) => link.startsWith(gateway.url));
    expect(linksIn(textOf(name)).filter((link) => !/^https?:/.test(link))).toEqual([]);
    for (const link of new Set(links)) {
      const { pathname } = new URL(link);
      const { ok } = await gateway.fetch(pathname, { headers: { accept: 'text/html' } });
      expect([link, ok || pathname === '/mcp']).toEqual([link, true]);
      if (pathname.startsWith('/docs')) expect(pathname).toMatch(/\.md$/);
    }
  });

  it('is announced in the head of the HTML page', async () => {
    const html = await (await gateway.fetch(path, { headers: { accept: 'text/html' } })).text();
    const [, href = ''] =
      /<link rel="alternate" type="text\/markdown" href="([^"]+)"/.exec(html) ?? [];
    expect(new URL(href, `${gateway.url}${path}`).pathname).toBe(`${path}.md`);
  });
});

describe('the Markdown of references', () => {
  it('explains each problem', () => {
    const headings = marked
      .lexer(textOf('errors'))
      .flatMap((token) => (token.type === 'heading' ? [(token as Tokens.Heading).text] : []));
    expect(headings).toEqual(['Errors', ...Object.keys(problems).map((code) => `\`${code}\``)]);
  });

  it('describes each implemented endpoint', () => {
    const endpoints = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method]) => `## ${method.toUpperCase()} ${path}`),
    );
    expect(endpoints.length).toBeGreaterThan(5);
    for (const heading of endpoints) expect(textOf('reference')).toContain(`\n${heading}\n`);
  });

  it('contains examples with the address of the gateway', () => {
    expect(textOf('')).toContain(`curl -s ${gateway.url}/graphql`);
    expect(textOf('')).not.toContain('127.0.0.1:4000');
  });
});

it('/llms.txt lists every page in the format of llmstxt.org', async () => {
  const response = await gateway.fetch('/llms.txt');
  const text = await response.text();
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toMatch(/^# RDAP Gateway\n\n> \S.*\n\n/);
  const items = text.split('\n').filter((line) => line.startsWith('- ['));
  for (const item of items) expect(item).toMatch(/^- \[[^\]]+\]\(http[^)]+\): \S.+\.$/);
  const links = linksIn(text);
  expect(links).toEqual(
    expect.arrayContaining(names.map((name) => `${gateway.url}${pathOf(name)}.md`)),
  );
  for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  expect(text).toContain(`${gateway.url}/mcp`);
  expect(text).toContain('\n## Optional\n');
});
