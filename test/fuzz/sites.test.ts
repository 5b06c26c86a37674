import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { siteEndpoints } from '../../src/sites/features.ts';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import { startFakeDnsServer } from '../support/servers/fake-dns-server.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { seededRandom, type Random } from '../support/time/random.ts';
import { scratch } from '../support/stores/scratch.ts';
import { expectDocumentedResponse, mutate, rounds, seed, startFuzzedGateway } from './fuzzing.ts';

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop &amp; Café</title>
<base href="/a/"><meta name="generator" content="WordPress 6.9"><meta property="og:type" content="article">
<meta name="robots" content="noindex, max-snippet: 5"><link rel="icon" sizes="16x16" href="i.png">
<script type="application/ld+json">{"@graph":[{"@type":["Organization","Store"],"name":"Shop",
"logo":{"url":"/l.png"},"sameAs":["https://x.com/shop"],"email":"a@shop.example"}]}</script></head>
<body itemscope itemtype="https://schema.org/Product"><a rel="me" href="https://mastodon.social/@shop">M</a>
<svg><title>Icon</title></svg><form toolname="search"></form></body></html>`;
const robots = `User-agent: *\nDisallow: /private*/x$\nAllow: /\nContent-Signal: /a ai-train=no, search=yes
Crawl-delay: 1.5\nSitemap: http://shop.example/sitemap.xml\n\nUser-agent: other\nDisallow: /`;
const manifest = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {},
  issuer: 'https://shop.example',
  resource: 'https://shop.example/',
  linkset: [{ anchor: 'https://shop.example/api' }],
  skills: [{ name: 'buy' }],
  keys: [{ kty: 'OKP' }],
  serverInfo: { name: 'shop' },
  entries: [{ type: 'application/mcp-server-card+json' }],
  endpoint: 'https://shop.example/mcp',
});
const search = JSON.stringify([
  {
    id: 7,
    issuer_name: 'C=US, O=CA',
    common_name: 'shop.example',
    name_value: '*.shop.example\nwww.shop.example\na@shop.example',
    not_before: '2026-04-02T21:18:57',
    not_after: '2030-07-01T21:24:46',
    entry_timestamp: '2026-04-02T21:29:08.423',
    serial_number: '0a',
  },
]);

const types = [
  'text/html',
  'text/html; charset=utf-16',
  'application/json',
  'text/plain',
  '',
] as const;
const headers = [
  'x-robots-tag',
  'content-language',
  'link',
  'server',
  'set-cookie',
  'location',
] as const;
const values = [
  'noindex',
  'bot: noindex, a',
  '',
  'PHP/8',
  'a=b; Path=/',
  '/',
  '//[',
  'ü',
  '%',
] as const;

/** Sends a document, unless it is healthy mostly mutated, sometimes with an odd type, status or header. */
function reply(path: string, response: ServerResponse, random: Random, isHealthy: boolean): void {
  const document = /robots/.test(path)
    ? robots
    : path.startsWith('/search')
      ? search
      : path === '/'
        ? html
        : random.pick([manifest, html, robots]);
  if (isHealthy) {
    const mediaType = { [html]: 'text/html', [robots]: 'text/plain' }[document];
    return void response.setHeader('content-type', mediaType ?? 'application/json').end(document);
  }

  const status = random.pick([200, 200, 200, 200, 200, 301, 403, 404, 500]);
  const header = random.pick(headers);
  response.statusCode = status;
  response.setHeader('content-type', random.pick(types));
  if (random.below(3) === 0)
    response.setHeader(header, Buffer.from(random.pick(values)).toString('latin1'));
  const bytes = Buffer.from(document);
  response.end(random.below(3) === 0 ? bytes : mutate(bytes, random));
}

const target = (path: string) =>
  path === '/v1/url-intelligence' ? 'url=http://shop.example/' : 'domain=shop.example';

it(
  `a site that sends random pages, robots.txt and manifests causes only documented responses and members (seed ${seed})`,
  { timeout: 600_000 },
  async () => {
    const random = seededRandom(seed);
    const server = createServer(({ url = '/' }, response) =>
      reply(url, response, random, isHealthy),
    );
    let isHealthy = false;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    await using folder = await scratch();
    await using dns = await startFakeDnsServer();
    const file = join(folder.path, 'sources.json');
    await writeFile(
      file,
      JSON.stringify({
        sites: { 'shop.example': { http: `127.0.0.1:${port}` } },
        resolvers: [`${dns.address}:${dns.port}`],
      }),
    );
    const CT_SEARCH_URL = `http://127.0.0.1:${port}/search`;
    const clock = manualClock();
    await using gateway = await startFuzzedGateway({
      clock,
      env: { SOURCES_FILE: file, CT_SEARCH_URL },
    });
    const answered = new Set<string>();
    const count = rounds(60, 0.02);
    for (let round = 0; round <= count; round += 1) {
      isHealthy = round === count;
      // Everything is read again, robots.txt too.
      clock.advance(25 * 60 * 60 * 1000);
      for (const { path } of siteEndpoints) {
        const response = await gateway.fetch(`${path}?${target(path)}`);
        await expectMatchesOpenApi(response.clone(), `get ${path}`);
        const text = await response.text();
        expectDocumentedResponse(response.status, text);
        if (response.status === 200) answered.add(path);
      }
    }
    server.closeAllConnections();
    server.close();
    expect(gateway.errorLogs).toEqual([]);
    // The site has no TLS. Every other path is answered at the latest when the site is healthy again.
    expect(siteEndpoints.map(({ path }) => path).filter((path) => !answered.has(path))).toEqual([
      '/v1/ssl/deep-scan',
    ]);
  },
);
