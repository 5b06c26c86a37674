import type { Alias } from '../messages/deprecations.ts';
import type { Endpoint } from './endpoint.ts';
import { bulk } from './endpoints/bulk.ts';
import { coverage } from './endpoints/coverage.ts';
import { probe } from './endpoints/probe.ts';
import { rdap } from './endpoints/rdap.ts';
import { status } from './endpoints/status.ts';
import { tlds } from './endpoints/tlds.ts';
import { agentReadiness } from './endpoints/agent-readiness.ts';
import { categorize } from './endpoints/categorize.ts';
import { certificates, subdomains } from './endpoints/certificates.ts';
import { emailBlacklist } from './endpoints/email-blacklist.ts';
import { identityAssets, identityResolution } from './endpoints/identity.ts';
import { robots } from './endpoints/robots.ts';
import { tech } from './endpoints/tech.ts';
import { tls } from './endpoints/tls.ts';
import { urlIntelligence } from './endpoints/url-intelligence.ts';

/** The endpoints about web sites. */
export const siteEndpoints: readonly Endpoint[] = [
  robots,
  tls,
  emailBlacklist,
  urlIntelligence,
  identityAssets,
  identityResolution,
  agentReadiness,
  tech,
  categorize,
  certificates,
  subdomains,
];

/** The endpoints of the REST API. Routes and the OpenAPI document are made of them. */
export const endpoints: readonly Endpoint[] = [
  status,
  rdap,
  bulk,
  probe,
  ...siteEndpoints,
  tlds,
  coverage,
];

/** The deprecated aliases of all endpoints. */
export const aliases = endpoints.flatMap((endpoint) => endpoint.aliases);

const aliasesByPath = Map.groupBy(aliases, ({ path }) => path);

/** Returns the deprecated aliases at a path. */
export function aliasesAt(path: string): readonly Alias[] {
  return aliasesByPath.get(path) ?? [];
}
