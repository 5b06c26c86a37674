import { bulkRoute, type BulkOptions } from './bulk/route.ts';
import { coverageRoute } from './coverage-route.ts';
import { rdapRoute } from './rdap-route.ts';
import type { RestRoute } from './rest-route.ts';
import { statusRoute } from './status-route.ts';
import { tldsRoute } from './tlds-route.ts';

export interface RestOptions extends BulkOptions {
  /** Maximum number of TLDs or names in one `/v1/status` request. */
  readonly maxTlds: number;
}

/** Returns the endpoints that look up names. */
export function restRoutes({ maxTlds, ...bulk }: RestOptions): readonly RestRoute[] {
  return [statusRoute(maxTlds), rdapRoute, bulkRoute(bulk)];
}

/** The endpoints that read only the TLD catalogue, without lookups. */
export const catalogueRoutes = [tldsRoute, coverageRoute];

/** Paths of the public API that this gateway does not implement. */
export const notImplementedPaths = [
  '/v1/subdomains',
  '/v1/tech',
  '/v1/categorize',
  '/v1/identity-assets',
  '/v1/identity-resolution',
  '/v1/url-intelligence',
  '/v1/agent-readiness',
  '/v1/robots',
  '/v1/ssl/deep-scan',
  '/v1/certificates',
  '/v1/email/blacklist',
] as const;
