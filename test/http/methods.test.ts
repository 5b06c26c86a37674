import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { frozenClock } from '../support/frozen-clock.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: frozenClock(), env: { RATE_LIMIT: '0' } });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const read = 'GET, HEAD, OPTIONS';
const unserved =
  'subdomains tech categorize identity-assets identity-resolution url-intelligence agent-readiness robots ssl/deep-scan certificates email/blacklist';

/** Every path of section 2, with a call that it answers. */
const routes: readonly (readonly [path: string, allow: string, status?: number])[] = [
  ['/v1/status?domain=taken.test', read],
  ['/v1/rdap?domain=taken.test', read],
  ['/v1/status/bulk', 'POST, OPTIONS'],
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
  ].map((path) => [path, read] as const),
  ...unserved.split(' ').map((path) => [`/v1/${path}?domain=taken.test`, read, 501] as const),
];

const rows = routes.map(([path, allow, status = 200]) => ({ path, allow, status }));

describe.each(rows)('$path', ({ path, allow }) => {
  const methods = allow.split(', ');

  it('tells OPTIONS what it takes', async () => {
    const answer = await gateway.fetch(path, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([
      204,
      allow,
      '',
    ]);
    expect(answer.headers.get('access-control-allow-methods')).toBe(allow);
    expect(answer.headers.get('content-length')).toBeNull();
  });

  it.each(
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method)),
  )('does not take %s, and says what it takes', async (method) => {
    const answer = await gateway.fetch(path, { method });
    const body = await answer.text();
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(body.includes('"method_not_allowed"')).toBe(method !== 'HEAD');
  });
});

it.each(rows.filter(({ allow }) => allow.includes('HEAD')))(
  '$path is to HEAD as to GET, without the body',
  async ({ path, status }) => {
    const get = await gateway.fetch(path);
    const head = await gateway.fetch(path, { method: 'HEAD' });
    const length = (await get.text()).length;
    expect([get.status, head.status, await head.text(), length > 0]).toEqual([
      status,
      status,
      '',
      true,
    ]);
    expect(namesOf(head)).toEqual(namesOf(get));
    for (const name of ['content-type', 'etag', 'cache-control', 'vary'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
  },
);

it('a path that is not there is not found, whatever the method', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) {
    expect((await gateway.fetch('/v1/whois', { method })).status).toBe(404);
  }
});

function namesOf({ headers }: Response): readonly string[] {
  // What is said of the connection is not of the answer.
  return Array.from(headers.keys()).filter(
    (name) => name !== 'connection' && name !== 'keep-alive',
  );
}
