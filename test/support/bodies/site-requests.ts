import { systemClock } from '../../../src/clock.ts';
import type { SiteRequest } from '../../../src/sites/site-facts.ts';
import { Problem } from '../../../src/domain/problems.ts';
import { createSiteClient, type SiteClientOptions } from '../../../src/sites/site-client.ts';
import { siteSlots } from '../../../src/sites/site-slots.ts';
import type { FakeSites } from '../servers/fake-site.ts';

/** Returns a request that waits for a slot for at most ten seconds. */
export function siteRequest(request: Partial<SiteRequest> = {}): SiteRequest {
  const signal = new AbortController().signal;
  return { signal, account: 'alice', queueDeadline: Date.now() + 10_000, ...request };
}

/** Returns a client of some sites. Other hosts have no address. */
export function siteClient(
  { serverOf }: Pick<FakeSites, 'serverOf'>,
  options: Partial<SiteClientOptions> = {},
) {
  return createSiteClient({
    serverOf,
    slots: siteSlots(systemClock),
    userAgent: 'rdap-gateway-test',
    clock: systemClock,
    resolve: (host, _options, callback) =>
      callback(Object.assign(new Error(`${host} is unknown`), { code: 'ENOTFOUND' }), []),
    ...options,
  });
}

/** Returns the problem with which a promise rejects, as its code and detail. */
export async function problemText(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no problem';
}
