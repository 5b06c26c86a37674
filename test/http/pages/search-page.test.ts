import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxSuffixes } from '../../../src/sandbox/suffixes.ts';
import { readBootstrap } from '../../../src/directory/bootstrap-parser.ts';
import { unlistedServers } from '../../../src/directory/unlisted-servers.ts';
import { dasTlds } from '../../../src/sources/das/das-services.ts';
import { startGateway, type Gateway } from '../../support/gateway.ts';
import { sets } from '../../support/search-page.ts';

let gateway: Gateway;
let html: string;
beforeAll(async () => {
  gateway = await startGateway({ env: { AUTH: 'required' } });
  html = await (await gateway.fetch('/')).text();
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe('the search page', () => {
  it('is served at / without a key, whatever the request accepts', async () => {
    for (const accept of ['text/html', '*/*', 'application/json']) {
      const page = await gateway.fetch('/', { headers: { accept } });
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
    }
    expect(html).toContain('<title>Domain search');
  });

  it('allows the browser to load only files of the gateway', async () => {
    const policy = (await gateway.fetch('/')).headers.get('content-security-policy') ?? '';
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(directive);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  });

  it('links to existing files, under paths that change with their content', async () => {
    const files = Array.from(
      html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g),
      ([, path = '']) => path,
    );
    expect(files.map((path) => path.split('/').at(-1))).toEqual([
      'icon.svg',
      'search.css',
      'search.js',
    ]);
    for (const path of files) {
      expect(path).toMatch(/^assets\/[0-9a-f]{12}\//);
      const file = await gateway.fetch(path);
      expect([file.status, file.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      for (const [, imported = ''] of (await file.text()).matchAll(/^import .* from '(.+)';$/gm)) {
        expect((await fetch(new URL(imported, new URL(path, gateway.url)))).status).toBe(200);
      }
    }
  });
});

describe('the TLD lists of the search page', () => {
  it('contain each live TLD once, and only TLDs with a source that can prove availability', async () => {
    const table = await readFile(
      new URL('../../../src/directory/bootstrap-table.json', import.meta.url),
      'utf8',
    );
    const registries = new Set([
      ...readBootstrap(JSON.parse(table)).keys(),
      ...unlistedServers.keys(),
      ...dasTlds,
    ]);
    expect(sets.real).toEqual(expect.arrayContaining(['io', 'co', 'me', 'de', 'eu', 'us', 'ch']));
    expect(sets.real.length).toBeGreaterThan(100);
    expect(new Set(sets.real).size).toBe(sets.real.length);
    expect(sets.real.filter((tld) => !registries.has(tld))).toEqual([]);
  });

  it('contain the suffixes of the sandbox registry', () => {
    expect(sets.test).toEqual(sandboxSuffixes);
  });
});
