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

let doors: BothApis;
beforeEach(async () => void (doors = await openBothApis()));
afterEach(() => doors[Symbol.asyncDispose]());

/** Sends everybody on to another path of the same host first. */
function moved(reply: Reply): Script {
  return ({ url }) => (url.startsWith('/v2/') ? reply : redirect(`/v2/domain/${name}`));
}

const withStatuses = (...statuses: string[]) => registered(name, { statuses });

describe('when the registry answers', () => {
  it.each<[string, string, Script]>([
    ['its object', 'REGISTERED', registered(name)],
    [
      'its object in capitals, with a final dot',
      'REGISTERED',
      registered(name, { ldhName: 'EXAMPLE.REGISTRY.' }),
    ],
    ['its object, after a redirect', 'REGISTERED', moved(registered(name))],
    ['"release process: waiting"', 'REGISTERED', withStatuses('release process: waiting')],
    ['"redemption period"', 'REDEMPTION', withStatuses('redemption period')],
    [
      '"redemption period" and "pending delete"',
      'REDEMPTION',
      withStatuses('pending delete', 'redemptionPeriod'),
    ],
    ['"pending restore"', 'REDEMPTION', withStatuses('pendingRestore')],
    ['"pending delete"', 'PENDING_DELETE', withStatuses('client hold', 'pendingDelete')],
    ['"reserved"', 'RESERVED', withStatuses('reserved')],
    [
      'a 404 that says "not available for registration"',
      'RESERVED',
      notFound('This name is not available for registration.'),
    ],
    ['a 404 that says "registry reserved"', 'RESERVED', notFound('', 'Registry Reserved')],
    ['a 404 that says "name is reserved"', 'RESERVED', notFound('The name is reserved.')],
    ['a 404 that says "blocked"', 'RESERVED', notFound('Blocked.')],
  ])('%s, the name is taken: %s', async (_what, verdict, script) => {
    await doors.expectVerdict(script, { status: verdict, available: false, reason: null });
  });

  it.each<[string, Script]>([
    ['an RDAP 404', notFound()],
    ['a 404 without a body', emptyNotFound()],
    ['"free" alone', withStatuses('free')],
    ['"available" alone', withStatuses('available')],
    ['a 200 that is an RDAP error 404', json(200, { errorCode: 404, title: 'Not Found' })],
    [
      'a 404 whose notices alone say "reserved"',
      json(404, { errorCode: 404, notices: [{ description: ['The name is reserved'] }] }),
    ],
    ['an RDAP 404 after a redirect on its own host', moved(notFound())],
  ])('%s, the name is free', async (_what, script) => {
    await doors.expectVerdict(script, { status: 'AVAILABLE', available: true, reason: null });
  });

  it.each<[string, Script]>([
    ['a 404 in HTML', html(404)],
    ['a 404 in other JSON', json(404, { error: 'not found' })],
    ['a 404 with nothing at all', status(404)],
    ['a 404 about an object', json(404, { ...domainObject(name), errorCode: 404 })],
    ['a 200 in HTML', html(200)],
    [
      'a 200 with broken JSON',
      status(200, { 'content-type': 'application/rdap+json' }, '{"objectClassName":"domain"'),
    ],
    ['a 200 that is cut off', truncated()],
    ['a 200 about another name', registered('other.registry')],
    ['a 200 about another name that is free', registered('other.registry', { statuses: ['free'] })],
    ['a 200 about something else', json(200, { ...domainObject(name), objectClassName: 'entity' })],
    ['a 200 that is an RDAP error 400', json(200, { errorCode: 400, title: 'Bad Request' })],
    ['more than 1 MiB', huge(1024 * 1024 + 1)],
    ['a few bytes that unpack to 64 MiB', gzipBomb()],
    ['lists within lists', deepJson(100_000)],
    ['bytes that are no UTF-8', invalidUtf8()],
  ])('%s, nothing is known', async (_what, script) => {
    await doors.expectVerdict(script, {
      status: 'UNKNOWN',
      available: null,
      reason: 'untrusted_answer',
    });
  });

  it.each([400, 401, 403, 405, 406, 410, 422, 451, 204, 304])(
    '%i, nothing is known: a refusal is no verdict',
    async (code) => {
      await doors.expectVerdict(status(code), {
        status: 'UNKNOWN',
        available: null,
        reason: 'registry_error',
      });
      expect(doors.registry.asked(name)).toBe(2);
    },
  );

  it.each<[string, string]>([
    ['in a loop', `/domain/${name}`],
    ['to a place that must not be asked', 'ftp://127.0.0.1/'],
  ])('a redirect %s, nothing is known', async (_where, target) => {
    await doors.expectVerdict(redirect(target), {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_error',
    });
  });

  it('a 404 by way of somebody else, nothing is known', async () => {
    doors.other.fallback(notFound());
    await doors.expectVerdict(redirect(doors.other.url(`domain/${name}`)), {
      status: 'UNKNOWN',
      available: null,
      reason: 'untrusted_answer',
    });
  });
});
