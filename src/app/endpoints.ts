// First, so that the printed schema has the types of names before those of sites.
import './schema.ts';
import type { Endpoint } from '../api/rest/endpoint.ts';
import { accuracy } from '../api/rest/endpoints/accuracy.ts';
import { bulk } from '../api/rest/endpoints/bulk.ts';
import { coverage } from '../api/rest/endpoints/coverage.ts';
import { probe } from '../api/rest/endpoints/probe.ts';
import { rdap } from '../api/rest/endpoints/rdap.ts';
import { status } from '../api/rest/endpoints/status.ts';
import { tlds } from '../api/rest/endpoints/tlds.ts';
import { siteEndpoints } from '../sites/features.ts';

/** The endpoints of the REST API. Routes and the OpenAPI document are made of them. */
export const endpoints: readonly Endpoint[] = [
  status,
  rdap,
  bulk,
  probe,
  ...siteEndpoints,
  tlds,
  coverage,
  accuracy,
];

export const aliases = endpoints.flatMap((endpoint) => endpoint.aliases);
