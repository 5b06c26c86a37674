import {
  checkedLookup,
  ForbiddenAddressError,
  isPublicAddress,
} from '../../outbound/public-address.ts';
import type { Resolve } from '../../outbound/public-address.ts';
import { Problem } from '../../domain/problems.ts';
import type { SiteServer, SiteServerOf } from '../../outbound/site-server.ts';

const port = 443;

/**
 * Returns the servers of a host that may be tried, in the order of the resolver: the first address
 * of each family. Rejects with `site_unreachable`, or `site_blocked` if an address is not public.
 */
export async function findServers(
  host: string,
  serverOf: SiteServerOf,
  resolve: Resolve | undefined,
): Promise<readonly SiteServer[]> {
  const server = serverOf(host, port);
  if (server === 'none')
    throw new Problem('site_unreachable', `${host} has no server at port ${port}.`);
  if (server) return [server];
  const addresses = await resolvePublic(host, resolve);
  return addresses.map((address) => ({ address, port }));
}

function resolvePublic(host: string, resolve: Resolve | undefined): Promise<readonly string[]> {
  const { promise, resolve: succeed, reject } = Promise.withResolvers<readonly string[]>();
  checkedLookup(isPublicAddress, resolve)(host, { all: true }, (error, addresses) => {
    if (error) return reject(problemOf(error, host));
    const found = typeof addresses === 'string' ? [] : addresses;
    const first = [4, 6].map((family) => found.findIndex((address) => address.family === family));
    const indexes = first.filter((index) => index >= 0).toSorted((a, b) => a - b);
    succeed(indexes.map((index) => found[index]?.address ?? ''));
  });
  return promise;
}

function problemOf(error: NodeJS.ErrnoException, host: string): Problem {
  return error instanceof ForbiddenAddressError
    ? new Problem('site_blocked', `${host} does not have a public address.`, { cause: error })
    : new Problem('site_unreachable', `${host} could not be resolved (${error.code ?? 'error'}).`, {
        cause: error,
      });
}
