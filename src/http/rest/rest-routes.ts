import { bulkRoute, type BulkOptions } from './bulk/route.ts';
import { coverageRoute } from './coverage-route.ts';
import { rdapRoute } from './rdap-route.ts';
import type { RestRoute } from './rest-route.ts';
import { statusRoute } from './status-route.ts';
import { tldsRoute } from './tlds-route.ts';

export interface RestOptions extends BulkOptions {
  /** TLDs or names of one `/v1/status` call. */
  readonly maxTlds: number;
}

export function restRoutes({ maxTlds, ...bulk }: RestOptions): readonly RestRoute[] {
  return [statusRoute(maxTlds), rdapRoute, bulkRoute(bulk)];
}

/** What is known of TLDs: of the catalogue alone, without a lookup. */
export const catalogueRoutes = [tldsRoute, coverageRoute];

/** Paths of the public API that this gateway knows by name only. */
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
