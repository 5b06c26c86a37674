import type { Endpoint } from '../api/rest/endpoint.ts';
import { bulk } from '../api/rest/endpoints/bulk.ts';
import { coverage } from '../api/rest/endpoints/coverage.ts';
import { probe } from '../api/rest/endpoints/probe.ts';
import { rdap } from '../api/rest/endpoints/rdap.ts';
import { status } from '../api/rest/endpoints/status.ts';
import { tlds } from '../api/rest/endpoints/tlds.ts';
import { agentReadiness } from '../sites/agent-signals/agent-readiness-endpoint.ts';
import { categorize } from '../sites/page/categorize-endpoint.ts';
import { certificates, subdomains } from '../sites/certificates/certificates-endpoint.ts';
import { emailBlacklist } from '../sites/mail/email-blacklist-endpoint.ts';
import { identityAssets, identityResolution } from '../sites/page/identity-endpoint.ts';
import { robots } from '../sites/robots/robots-endpoint.ts';
import { tech } from '../sites/tech/tech-endpoint.ts';
import { tls } from '../sites/tls/tls-endpoint.ts';
import { urlIntelligence } from '../sites/page/url-intelligence-endpoint.ts';

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
