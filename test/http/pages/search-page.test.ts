import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxSuffixes } from '../../../src/sandbox/suffixes.ts';
import { readBootstrap } from '../../../src/directory/bootstrap-parser.ts';
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
  it('is at /, for everybody, whatever they accept', async () => {
    for (const accept of ['text/html', '*/*', 'application/json']) {
      const page = await gateway.fetch('/', { headers: { accept } });
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
    }
    expect(html).toContain('<title>Domain search');
  });

  it('lets the browser load and run nothing but files of the gateway', async () => {
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

  it('names files that are there, by paths that change with their content', async () => {
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

describe('the TLDs that the page asks', () => {
  it('stand once in its list, and in the list of registries that the gateway brings along', async () => {
    const table = await readFile(
      new URL('../../../src/directory/bootstrap-table.json', import.meta.url),
      'utf8',
    );
    const known = readBootstrap(JSON.parse(table));
    expect(sets.real.length).toBeGreaterThan(100);
    expect(new Set(sets.real).size).toBe(sets.real.length);
    expect(sets.real.filter((tld) => !known.has(tld))).toEqual([]);
  });

  it('are those of the registry inside, where there is no network', () => {
    expect(sets.test).toEqual(sandboxSuffixes);
  });
});
