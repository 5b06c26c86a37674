import type { RestRoute } from './rest-route.ts';
import { agentReadinessRoute } from './agent-readiness-route.ts';
import { certificatesRoute, subdomainsRoute } from './certificate-routes.ts';
import { disposableMailRoute } from './disposable-mail-route.ts';
import { identityAssetsRoute, identityResolutionRoute } from './identity-routes.ts';
import {
  categoriesRoute,
  robotsRoute,
  technologiesRoute,
  urlIntelligenceRoute,
} from './page-routes.ts';
import { tlsRoute } from './tls-route.ts';

/** The endpoints about web sites. */
export const siteRoutes: readonly RestRoute[] = [
  robotsRoute,
  tlsRoute,
  disposableMailRoute,
  urlIntelligenceRoute,
  identityAssetsRoute,
  identityResolutionRoute,
  agentReadinessRoute,
  technologiesRoute,
  categoriesRoute,
  certificatesRoute,
  subdomainsRoute,
];
