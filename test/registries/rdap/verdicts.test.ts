import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { name, openBothApis, type BothApis } from '../../support/both-apis.ts';
import { domainObject } from '../../support/domain-object.ts';
import { deepJson, gzipBomb, huge, invalidUtf8, truncated } from '../../support/hostile-replies.ts';
import {
  emptyNotFound,
  html,
  json,
  notFound,
  redirect,
  registered,
  status,
  type Reply,
  type Script,
} from '../../support/replies.ts';

let apis: BothApis;
// Some replies take seconds to make on a busy machine.
beforeEach(async () => void (apis = await openBothApis({ RDAP_TIMEOUT_MS: '60000' })));
afterEach(() => apis[Symbol.asyncDispose]());

/** Redirects to another path of the same host, which sends the reply. */
function moved(reply: Reply): Script {
  return ({ url }) => (url.startsWith('/v2/') ? reply : redirect(`/v2/domain/${name}`));
}

const withStatuses = (...statuses: string[]) => registered(name, { statuses });

describe('a registry response', () => {
  it.each<[string, string, Script]>([
    ['a domain object', 'REGISTERED', registered(name)],
    [
      'a domain object with an upper-case name and a final dot',
      'REGISTERED',
      registered(name, { ldhName: 'EXAMPLE.REGISTRY.' }),
    ],
    ['a domain object after a redirect', 'REGISTERED', moved(registered(name))],
    [
      'the status "release process: waiting"',
      'REGISTERED',
      withStatuses('release process: waiting'),
    ],
    ['the status "redemption period"', 'REDEMPTION', withStatuses('redemption period')],
    [
      'the statuses "redemption period" and "pending delete"',
      'REDEMPTION',
      withStatuses('pending delete', 'redemptionPeriod'),
    ],
    ['the status "pending restore"', 'REDEMPTION', withStatuses('pendingRestore')],
    ['the status "pending delete"', 'PENDING_DELETE', withStatuses('client hold', 'pendingDelete')],
    ['the status "reserved"', 'RESERVED', withStatuses('reserved')],
    [
      'a 404 that says "not available for registration"',
      'RESERVED',
      notFound('This name is not available for registration.'),
    ],
    ['a 404 that says "registry reserved"', 'RESERVED', notFound('', 'Registry Reserved')],
    ['a 404 that says "name is reserved"', 'RESERVED', notFound('The name is reserved.')],
    ['a 404 that says "blocked"', 'RESERVED', notFound('Blocked.')],
  ])('with %s means %s', async (_case, verdict, script) => {
    await apis.expectVerdict(script, { status: verdict, available: false, reason: null });
  });

  it.each<[string, Script]>([
    ['an RDAP 404', notFound()],
    ['a 404 without a body', emptyNotFound()],
    ['only the status "free"', withStatuses('free')],
    ['only the status "available"', withStatuses('available')],
    ['an RDAP error 404 in a 200', json(200, { errorCode: 404, title: 'Not Found' })],
    [
      'a 404 in which only the notices say "reserved"',
      json(404, { errorCode: 404, notices: [{ description: ['The name is reserved'] }] }),
    ],
    ['an RDAP 404 after a redirect on its own host', moved(notFound())],
  ])('with %s means AVAILABLE', async (_case, script) => {
    await apis.expectVerdict(script, { status: 'AVAILABLE', available: true, reason: null });
  });

  it.each<[string, Script]>([
    ['a 404 in HTML', html(404)],
    ['a 404 in other JSON', json(404, { error: 'not found' })],
    ['a 404 without a body and a media type', status(404)],
    ['a 404 with a domain object', json(404, { ...domainObject(name), errorCode: 404 })],
    ['a 200 in HTML', html(200)],
    [
      'a 200 with broken JSON',
      status(200, { 'content-type': 'application/rdap+json' }, '{"objectClassName":"domain"'),
    ],
    ['a truncated 200', truncated()],
    ['a 200 for another name', registered('other.registry')],
    [
      'a 200 for another name with the status "free"',
      registered('other.registry', { statuses: ['free'] }),
    ],
    ['a 200 with an entity', json(200, { ...domainObject(name), objectClassName: 'entity' })],
    ['an RDAP error 400 in a 200', json(200, { errorCode: 400, title: 'Bad Request' })],
    ['more than 1 MiB', huge(1024 * 1024 + 1)],
    ['a few bytes that decompress to 64 MiB', gzipBomb()],
    ['deeply nested lists', deepJson(100_000)],
    ['invalid UTF-8', invalidUtf8()],
  ])('with %s means UNKNOWN', async (_case, script) => {
    await apis.expectVerdict(script, {
      status: 'UNKNOWN',
      available: null,
      reason: 'untrusted_answer',
    });
  });

  it.each([400, 401, 403, 405, 406, 410, 422, 451, 204, 304])(
    'with status %i means UNKNOWN and is not retried',
    async (code) => {
      await apis.expectVerdict(status(code), {
        status: 'UNKNOWN',
        available: null,
        reason: 'registry_error',
      });
      expect(apis.registry.requestCount(name)).toBe(2);
    },
  );

  it.each<[string, string]>([
    ['in a loop', `/domain/${name}`],
    ['to a URL that is not allowed', 'ftp://127.0.0.1/'],
  ])('with a redirect %s means UNKNOWN', async (_case, target) => {
    await apis.expectVerdict(redirect(target), {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_error',
    });
  });

  it('with a 404 from another host after a redirect means UNKNOWN', async () => {
    apis.other.fallback(notFound());
    await apis.expectVerdict(redirect(apis.other.url(`domain/${name}`)), {
      status: 'UNKNOWN',
      available: null,
      reason: 'untrusted_answer',
    });
  });
});
