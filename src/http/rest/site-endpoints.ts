import type { Endpoint } from './endpoint.ts';
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
