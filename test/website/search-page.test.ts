import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway, { env: { AUTH: 'required' } });
const html = await (await gateway.fetch('/')).text();

describe('the search page', () => {
  it('is served at / without a key, whatever the request accepts', async () => {
    for (const accept of ['text/html', '*/*', 'application/json']) {
      const page = await gateway.fetch('/', { headers: { accept } });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    expect(html).toContain('<title>Domain search');
    expect(html).toContain('<a href="./graphql">GraphiQL</a>');
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

  it.each(['/', '/docs', '/graphql', '/no-such-page'])(
    'is isolated from other windows, and uses no devices: %s',
    async (path) => {
      const { headers } = await gateway.fetch(path, { headers: { accept: 'text/html' } });
      expect(headers.get('content-type')).toContain('text/html');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('camera=(), geolocation=()');
    },
  );

  it('links to existing files, under paths that change with their content', async () => {
    const files = Array.from(
      html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g),
      ([, path = '']) => path,
    );
    expect(files.map((path) => path.split('/').at(-1)).toSorted()).toEqual(
      ['icon.svg', 'site.css', 'search.css', 'search.js', ...modules].toSorted(),
    );
    for (const path of files) {
      expect(path).toMatch(/^assets\/[0-9a-f]{12}\//);
      const file = await gateway.fetch(path);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      for (const [, imported = ''] of (await file.text()).matchAll(/^import .* from '(.+)';$/gm)) {
        expect((await fetch(new URL(imported, new URL(path, gateway.url)))).status).toBe(200);
      }
    }
  });

  it('has a preview for links to it, an icon, and rules for crawlers', async () => {
    const [, card = ''] = /property="og:image" content="([^"]+)"/.exec(html) ?? [];
    expect(card).toMatch(new RegExp(`^${gateway.url}/assets/[0-9a-f]{12}/social-card.png$`));
    const files = await Promise.all(
      [card, '/favicon.ico', '/robots.txt'].map((path) => gateway.fetch(path)),
    );
    expect(files.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
      [200, 'image/png'],
      [200, 'image/svg+xml'],
      [200, 'text/plain'],
    ]);
    // A crawler that runs the page would query registries.
    expect(await files[2]?.text()).toMatch(
      /^User-agent: \*\n(?:Disallow: .+\n)*Disallow: \/\*\?\n/m,
    );
  });

  it('contains the link of the operator as text, whatever it contains', async () => {
    const REGISTER_URL = 'https://registrar.example/?a="><script>&b={domain}';
    await using configured = await startGateway({ env: { REGISTER_URL, GRAPHIQL: 'off' } });
    const page = await (await configured.fetch('/')).text();
    expect(page).toContain(
      'data-register-url="https://registrar.example/?a=&quot;&gt;&lt;script&gt;&amp;b={domain}"',
    );
    expect(page).not.toContain('GraphiQL');
    expect(html).not.toContain('data-register-url');
  });
});

it('does not count its files against the rate limit', async () => {
  await using limited = await startGateway({ env: { RATE_LIMIT: '6' } });
  for (const [, path = ''] of html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g))
    expect((await limited.fetch(`/${path}`)).status, path).toBe(200);
  expect((await limited.fetch('/v1/tlds')).status).toBe(200);
});

/** The modules that the page preloads: all but those that show details and that read texts. */
const modules = readdirSync(new URL('../../src/website/search/', import.meta.url))
  .filter(
    (name) =>
      name.endsWith('.js') &&
      !/^(?:facts|matrix|networks|object|panel|picture|watch-list)\.js$/.test(name),
  )
  .concat('grid.js', 'reading.js', 'verdicts.js')
  .concat('typed-text.js');
