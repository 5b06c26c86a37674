import { bulkRoute, type BulkOptions } from './bulk-route.ts';
import { coverageRoute } from './coverage-route.ts';
import { rdapRoute } from './rdap-route.ts';
import type { RestRoute } from './rest-route.ts';
import { siteRoutes } from './site-routes.ts';
import { statusRoute } from './status-route.ts';
import { tldsRoute } from './tlds-route.ts';

export interface RestOptions extends BulkOptions {
  /** Maximum number of TLDs or names in one `/v1/status` request. */
  readonly maxTlds: number;
}

/** Returns the endpoints that look up names or read sites. */
export function restRoutes({ maxTlds, ...bulk }: RestOptions): readonly RestRoute[] {
  return [statusRoute(maxTlds), rdapRoute, bulkRoute(bulk), ...siteRoutes];
}

/** The endpoints that read only the TLD catalogue, without lookups. */
export const catalogueRoutes = [tldsRoute, coverageRoute];
