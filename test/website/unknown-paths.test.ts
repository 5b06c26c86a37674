import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway);

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe.each(['/nope', '/docs/nope', '/a/b/c', '/assets/nope.js'])('%s', (path) => {
  it('is a page with working links for browsers', async () => {
    const response = await gateway.fetch(path, { headers: { accept: browserAccept } });
    const text = await response.text();
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('vary')).toContain('Accept');
    const links = Array.from(text.matchAll(/\s(?:href|src)="([^"]+)"/g), ([, link = '']) => link);
    expect(links.length).toBeGreaterThan(5);
    for (const link of links) {
      const { status } = await fetch(new URL(link, `${gateway.url}${path}`), {
        headers: { accept: browserAccept },
      });
      expect([link, status]).toEqual([link, 200]);
    }
  });

  it.each(['*/*', 'application/json', 'application/problem+json'])(
    'is a problem document for Accept: %s',
    async (accept) => {
      const response = await gateway.fetch(path, { headers: { accept } });
      expect(await response.json()).toMatchObject({ status: 404, code: 'not_found' });
    },
  );
});

it.each([
  ['/v1/stats', '/v1/stats does not exist. A similar path is /v1/status.'],
  ['/v1/robot', '/v1/robot does not exist. A similar path is /v1/robots.'],
  ['/v1/nope', '/v1/nope does not exist.'],
])(
  'the problem of %s names the path of an endpoint that differs by a typing error',
  async (path, detail) => {
    expect(await (await gateway.fetch(path)).json()).toMatchObject({ detail });
  },
);

describe('/schema.graphql', () => {
  it('is the schema as printed in the repository', async () => {
    const response = await gateway.fetch('/schema.graphql');
    const printed = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');
    expect(await response.text()).toBe(printed);
  });

  it('does not exist if introspection is off, and no page links to it', async () => {
    await using closed = await startGateway({ env: { INTROSPECTION: 'off' } });
    expect((await closed.fetch('/schema.graphql')).status).toBe(404);
    for (const path of ['/docs', '/docs/objects', '/docs/graphql-guide']) {
      for (const page of [path, `${path}.md`])
        expect(await (await closed.fetch(page)).text()).not.toMatch(
          /(?:"|\()[^")]*schema\.graphql[")]/,
        );
    }
  });
});
