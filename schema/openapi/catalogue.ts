import type { JsonObject } from '../../src/domain/registration.ts';
import { defaultBaseUrl, type OperationDescriptions } from './operation-description.ts';
import {
  objectOf,
  openEnum,
  orNull,
  schemaRef,
  type JsonSchema,
  type Properties,
} from './json-schema.ts';

const problems = [
  'missing_parameter',
  'invalid_parameter',
  'invalid_naming',
  'missing_api_key',
  'invalid_api_key',
  'forbidden_origin',
  'rate_limited',
  'internal',
  'overloaded',
  'unavailable',
] as const;

const free =
  'It costs no credits, so that a client can check its key with it: 200 with a valid key, 401 with another.';

/** The operations about TLDs. */
export const catalogueDescriptions: OperationDescriptions = {
  'GET /v1/tlds': {
    operationId: 'getTlds',
    tag: 'TLDs',
    summary: 'Which TLDs can be looked up',
    description: `The TLDs for which a usable RDAP server is known, in alphabetical order, without \`.test\` and without longer suffixes such as \`co.uk\`. ${free}`,
    parameters: ['limit', 'naming', 'Service-Naming', 'If-None-Match'],
    problems,
    success: 'The first TLDs, and how many there are.',
    content: {
      'application/json': {
        schema: schemaRef('TldList'),
        examples: { tlds: { summary: 'The first two TLDs', value: tldsExample() } },
      },
    },
    curl: `curl '${defaultBaseUrl}/v1/tlds?limit=2'`,
  },
  'GET /v1/coverage': {
    operationId: 'getCoverage',
    tag: 'TLDs',
    summary: 'How much can be looked up, and how registries respond',
    description: `All TLDs of \`/v1/tlds\` by kind, the health of their registries as this process of the gateway has measured it, and the source of the list of registries. ${free}`,
    parameters: ['naming', 'Service-Naming', 'If-None-Match'],
    problems,
    success: 'The TLDs and the health of their registries.',
    content: {
      'application/json': {
        schema: schemaRef('Coverage'),
        examples: {
          coverage: { summary: 'A gateway that serves three TLDs', value: coverageExample() },
        },
      },
    },
    curl: `curl ${defaultBaseUrl}/v1/coverage`,
  },
};

const text = (description: string): JsonSchema => ({ type: 'string', description });
const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });
const tldArray = (description: string): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  description,
});
const arrayOf = (name: string, description: string): JsonSchema => ({
  type: 'array',
  items: schemaRef(name),
  description,
});
const tld = text('The A-label, such as `com` or `xn--p1ai`.');

/** The bodies of these operations and their parts, by name. */
export const catalogueShapes: Properties = {
  TldList: objectOf({
    tlds: arrayOf('CoveredTld', 'The first TLDs, in alphabetical order.'),
    total: count('How many TLDs can be looked up.'),
    limit: { type: 'integer', minimum: 1, description: 'The limit that was applied.' },
  }),
  CoveredTld: objectOf({
    tld,
    type: {
      ...openEnum({
        gtld: 'Every TLD that is no country code.',
        cctld: 'The code of a country or territory, in any script.',
      }),
      description: 'The kind of TLD.',
    },
    rdap: {
      type: 'boolean',
      description:
        'Whether an RDAP server is known. True as long as RDAP is the only source of the gateway.',
    },
    registry_host: text('Host of that server.'),
  }),
  Coverage: objectOf({
    gtlds: tldArray('The TLDs of type `gtld`.'),
    cctlds: tldArray('The TLDs of type `cctld`.'),
    total_tlds: count('How many TLDs can be looked up.'),
    all_tlds: tldArray('All of them, in alphabetical order.'),
    rdap_health: arrayOf(
      'RegistryHealth',
      'A row for each TLD whose registry host this process has queried since it started, or which has requested a pause.',
    ),
    bootstrap_source: text(
      'Where the list of registries comes from: the URL of the document (RFC 9224) without its query, `file`, or `built-in` while no document could be loaded. Servers that the operator has added are not part of it.',
    ),
    bootstrap_last_updated: orNull({
      type: 'string',
      format: 'date-time',
      description: 'When that list was published, as it says itself; null if it does not.',
    }),
  }),
  RegistryHealth: {
    description: 'How a registry host responds. The TLDs of one host have the same figures.',
    ...objectOf({
      tld,
      endpoint: text('Base URL of the RDAP server.'),
      ok: {
        type: 'boolean',
        description:
          'False while requests are paused because the host requested it or does not respond, and while more than half of the last 100 failed.',
      },
      p50_ms: orNull({
        type: 'integer',
        minimum: 0,
        description:
          'Median time of the last 100 requests, in milliseconds; null before the first.',
      }),
      error_rate: orNull({
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Share of the last 100 requests that failed; null before the first.',
      }),
    }),
  },
};

function tldsExample(): JsonObject {
  const tlds = [
    { tld: 'aaa', type: 'gtld', rdap: true, registry_host: 'rdap.nic.aaa' },
    { tld: 'ad', type: 'cctld', rdap: true, registry_host: 'rdap.nic.ad' },
  ];
  return { tlds, total: 1200, limit: 2 };
}

function coverageExample(): JsonObject {
  return {
    gtlds: ['com', 'net'],
    cctlds: ['fr'],
    total_tlds: 3,
    all_tlds: ['com', 'fr', 'net'],
    rdap_health: [
      { tld: 'fr', endpoint: 'https://rdap.nic.fr/', ok: true, p50_ms: 38, error_rate: 0.02 },
    ],
    bootstrap_source: 'https://data.iana.org/rdap/dns.json',
    bootstrap_last_updated: '2026-11-20T22:00:03.000Z',
  };
}
