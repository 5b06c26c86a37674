import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { frozenClock } from '../support/time/frozen-clock.ts';

const gateway = await forThisFile(startGateway, { clock: frozenClock(), env: { RATE_LIMIT: '0' } });

const readOnly = 'GET, HEAD, OPTIONS';
const aboutSites =
  'subdomains tech categorize identity-assets identity-resolution agent-readiness robots ssl/deep-scan certificates email/blacklist';

/** Every path, with a query that it accepts. */
const routes: readonly (readonly [path: string, allow: string, status?: number])[] = [
  ['/v1/status?domain=taken.test', readOnly],
  ['/v1/rdap?domain=taken.test', readOnly],
  ['/v1/status/bulk', 'POST, OPTIONS'],
  ['/v1/receipts', 'POST, OPTIONS'],
  ['/graphql?query={__typename}', 'GET, HEAD, POST, OPTIONS'],
  ...[
    '/',
    '/docs',
    '/docs/versioning',
    '/docs/errors',
    '/docs/changelog',
    '/docs/operations',
    '/docs/metrics',
    '/openapi.json',
    '/health',
    '/ready',
  ].map((path) => [path, readOnly] as const),
  ['/v1/url-intelligence?url=https://taken.test/', readOnly],
  ['/v1/certificates?domain=shop.example', readOnly, 501],
  ...aboutSites.split(' ').map((path) => [`/v1/${path}?domain=taken.test`, readOnly] as const),
];

const rows = routes.map(([path, allow, status = 200]) => ({ path, allow, status }));

describe.each(rows)('$path', ({ path, allow }) => {
  const methods = allow.split(', ');

  it('lists its methods in response to OPTIONS', async () => {
    const response = await gateway.fetch(path, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toEqual(allow);
    expect(await response.text()).toBe('');
    expect(response.headers.get('access-control-allow-methods')).toBe(allow);
    expect(response.headers.get('content-length')).toBeNull();
  });

  it.each(
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method)),
  )('rejects %s, and lists its methods in Allow', async (method) => {
    const response = await gateway.fetch(path, { method });
    const body = await response.text();
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(body.includes('"method_not_allowed"')).toBe(method !== 'HEAD');
  });
});

it.each(rows.filter(({ allow }) => allow.includes('HEAD')))(
  '$path responds to HEAD as to GET, without the body',
  async ({ path, status }) => {
    const get = await gateway.fetch(path);
    const head = await gateway.fetch(path, { method: 'HEAD' });
    const length = (await get.text()).length;
    expect(get.status).toEqual(status);
    expect(head.status).toEqual(status);
    expect(await head.text()).toBe('');
    expect(length > 0).toBe(true);
    expect(namesOf(head)).toEqual(namesOf(get));
    for (const name of ['content-type', 'etag', 'cache-control', 'vary'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  },
);

it('an unknown path is a 404 with every method', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) {
    expect((await gateway.fetch('/v1/whois', { method })).status).toBe(404);
  }
});

function namesOf({ headers }: Response): readonly string[] {
  // These describe the connection, not the response.
  return Array.from(headers.keys()).filter(
    (name) => name !== 'connection' && name !== 'keep-alive',
  );
}
