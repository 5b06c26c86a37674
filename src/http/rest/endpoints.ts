import type { Endpoint } from './endpoint.ts';
import { bulk } from './endpoints/bulk.ts';
import { coverage } from './endpoints/coverage.ts';
import { rdap } from './endpoints/rdap.ts';
import { status } from './endpoints/status.ts';
import { tlds } from './endpoints/tlds.ts';
import { siteEndpoints } from './site-endpoints.ts';

/** The endpoints of the REST API. Routes and the OpenAPI document are made of them. */
export const endpoints: readonly Endpoint[] = [
  status,
  rdap,
  bulk,
  ...siteEndpoints,
  tlds,
  coverage,
];
