import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../../support/for-this-test.ts';
import { name, openBothApis, type BothApis } from '../../support/gateways/both-apis.ts';
import {
  emptyNotFound,
  json,
  notFound,
  redirect,
  registered,
  status,
  unregistered,
  type Reply,
  type Script,
} from '../../support/bodies/replies.ts';

let apis: BothApis;
// Some replies take seconds to make on a busy machine.
beforeEach(async () => void (apis = await forThisTest(openBothApis, { RDAP_TIMEOUT_MS: '60000' })));

/** Redirects to another path of the same host, which sends the reply. */
function moved(reply: Reply): Script {
  return ({ url }) => (url.startsWith('/v2/') ? reply : redirect(`/v2/domain/${name}`));
}

const withStatuses = (...statuses: string[]) => registered(name, { statuses });

describe('a registry response', () => {
  it.each<[string, string, Script]>([
    ['a domain object', 'REGISTERED', registered(name)],
    ['a domain object after a redirect', 'REGISTERED', moved(registered(name))],
    ['the status "redemption period"', 'REDEMPTION', withStatuses('redemption period')],
    ['the status "pending delete"', 'PENDING_DELETE', withStatuses('client hold', 'pendingDelete')],
    ['the status "reserved"', 'RESERVED', withStatuses('reserved')],
    [
      'a 404 that says "not available for registration"',
      'RESERVED',
      notFound('This name is not available for registration.'),
    ],
  ])('with %s means %s', async (_case, verdict, script) => {
    await apis.expectVerdict(script, { status: verdict, available: false, reason: null });
  });

  it.each<[string, Script]>([
    ['an RDAP 404', notFound()],
    ['a 404 without a body', emptyNotFound()],
    ['only the status "free"', unregistered(name)],
    ['an RDAP error 404 in a 200', json(200, { errorCode: 404, title: 'Not Found' })],
    [
      'a 404 in which only the notices mention reserved names',
      json(404, { errorCode: 404, notices: [{ description: ['Reserved names are not listed'] }] }),
    ],
    ['an RDAP 404 after a redirect on its own host', moved(notFound())],
  ])('with %s means AVAILABLE', async (_case, script) => {
    await apis.expectVerdict(script, { status: 'AVAILABLE', available: true, reason: null });
  });

  it.each([204, 304, 400, 403])('with status %i means UNKNOWN and is not retried', async (code) => {
    await apis.expectVerdict(status(code), {
      status: 'UNKNOWN',
      available: null,
      reason: 'registry_error',
    });
    expect(apis.registry.requestCount(name)).toBe(2);
  });
});
