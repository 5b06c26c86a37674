import type { JsonObject } from '../../../domain/registration.ts';
import type { SourceKind } from '../../../domain/answer.ts';
import { callerProblems, parameterProblems } from './common-problems.ts';
import { defaultBaseUrl, type OperationDescriptions } from './operation-description.ts';
import {
  objectOf,
  openEnum,
  orNull,
  schemaRef,
  type JsonSchema,
  type Properties,
} from './json-schema.ts';

const problems = [...parameterProblems, ...callerProblems] as const;

const freeOfCharge =
  'This call costs no credits, so clients can use it to check a key: 200 if the key is valid, 401 if it is not.';

/** The operations on TLDs. */
export const catalogueDescriptions: OperationDescriptions = {
  'GET /v1/tlds': {
    operationId: 'getTlds',
    tag: 'TLDs',
    summary: 'List supported TLDs',
    description: `Returns the TLDs whose names can be looked up, in alphabetical order, with their sources, without \`.test\` and without longer suffixes such as \`co.uk\`. ${freeOfCharge}`,
    parameters: ['limit', 'naming', 'Service-Naming', 'If-None-Match'],
    problems,
    success: 'The first `limit` TLDs, and the number of all supported TLDs.',
    content: {
      'application/json': {
        schema: schemaRef('TldList'),
        examples: {
          tlds: { summary: 'Two TLDs, one of which has only the DNS', value: tldsExample() },
        },
      },
    },
    curl: `curl '${defaultBaseUrl}/v1/tlds?limit=2'`,
  },
  'GET /v1/coverage': {
    operationId: 'getCoverage',
    tag: 'TLDs',
    summary: 'Get TLD coverage and registry health',
    description: `Returns all TLDs of \`/v1/tlds\` by type and by source, the health of their RDAP servers as measured by this gateway process, and the source of the registry list. ${freeOfCharge}`,
    parameters: ['naming', 'Service-Naming', 'If-None-Match'],
    problems,
    success: 'The TLDs and the health of their registries.',
    content: {
      'application/json': {
        schema: schemaRef('Coverage'),
        examples: {
          coverage: { summary: 'A gateway with four TLDs', value: coverageExample() },
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
const tld = text('The TLD as an A-label, such as `com` or `xn--p1ai`.');

/** The sources of answers. */
export const sourceDescriptions = {
  rdap: 'The RDAP server of the registry.',
  das: 'The availability service of the registry.',
  whois: 'The WHOIS server of the registry.',
  dns: 'The delegations in the zone of the TLD.',
} as const satisfies Record<SourceKind, string>;

const tldsBySource = Object.fromEntries(
  Object.entries(sourceDescriptions).map(([source, description]) => [
    source,
    tldArray(`The TLDs with this source. ${description}`),
  ]),
);

/** The schemas of these responses, by name. */
export const catalogueShapes: Properties = {
  TldList: objectOf({
    tlds: arrayOf('CoveredTld', 'The first `limit` TLDs, in alphabetical order.'),
    total: count('Number of supported TLDs.'),
    limit: { type: 'integer', minimum: 1, description: 'The limit that was applied.' },
  }),
  CoveredTld: objectOf({
    tld,
    type: {
      ...openEnum({
        gtld: 'Any TLD that is not a country code.',
        cctld: 'The code of a country or territory, in any script.',
      }),
      description: 'The kind of TLD.',
    },
    rdap: {
      type: 'boolean',
      description: 'Whether RDAP is one of the sources, so that registered names have a record.',
    },
    registry_host: orNull(text('Host of the RDAP server; null without one.')),
    sources: arrayOf('TldSource', 'The sources of its names, in order of preference.'),
    proves_available: {
      type: 'boolean',
      description:
        'Whether one of the sources can prove that a name is available. Otherwise, names under the TLD are never `available: true`.',
    },
  }),
  TldSource: {
    description: 'A source in which the names of a TLD are looked up.',
    ...objectOf({
      source: { ...openEnum(sourceDescriptions), description: 'The kind of source.' },
      endpoint: orNull(
        text('URL of the server; null for the DNS, whose servers depend on the zone.'),
      ),
    }),
  },
  Coverage: objectOf({
    gtlds: tldArray('The TLDs of type `gtld`.'),
    cctlds: tldArray('The TLDs of type `cctld`.'),
    total_tlds: count('Number of supported TLDs.'),
    all_tlds: tldArray('All supported TLDs, in alphabetical order.'),
    sources: {
      description: 'The TLDs by source, in alphabetical order. A TLD may have several sources.',
      ...objectOf(tldsBySource),
    },
    without_availability: tldArray(
      'The TLDs without a source that can prove that a name is available. Their names are never `available: true`.',
    ),
    rdap_health: arrayOf(
      'RegistryHealth',
      'One row per TLD whose RDAP server is in a back-off or has been queried by this process since it started.',
    ),
    bootstrap_source: text(
      'Source of the registry list: the URL of the bootstrap document (RFC 9224) without its query string, `file`, or `built-in` until a document has been loaded. Servers that the operator added are not part of the list.',
    ),
    bootstrap_last_updated: orNull({
      type: 'string',
      format: 'date-time',
      description: 'The publication date of the registry list; null if it states none.',
    }),
  }),
  RegistryHealth: {
    description: 'Health of a registry host. All TLDs of a host have the same values.',
    ...objectOf({
      tld,
      endpoint: text('Base URL of the RDAP server.'),
      ok: {
        type: 'boolean',
        description:
          'False while requests to the host are paused (it requested a back-off, or its circuit breaker is open), or if more than half of the last 100 requests failed.',
      },
      p50_ms: orNull({
        type: 'integer',
        minimum: 0,
        description:
          'Median latency of the last 100 requests, in milliseconds; null before the first.',
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
    {
      tld: 'aaa',
      type: 'gtld',
      rdap: true,
      registry_host: 'rdap.nic.aaa',
      sources: [
        { source: 'rdap', endpoint: 'https://rdap.nic.aaa/rdap/' },
        { source: 'dns', endpoint: null },
      ],
      proves_available: true,
    },
    {
      tld: 'al',
      type: 'cctld',
      rdap: false,
      registry_host: null,
      sources: [{ source: 'dns', endpoint: null }],
      proves_available: false,
    },
  ];
  return { tlds, total: 1438, limit: 2 };
}

function coverageExample(): JsonObject {
  return {
    gtlds: ['com', 'net'],
    cctlds: ['al', 'fr'],
    total_tlds: 4,
    all_tlds: ['al', 'com', 'fr', 'net'],
    sources: { rdap: ['com', 'fr', 'net'], das: [], whois: [], dns: ['al', 'com', 'fr', 'net'] },
    without_availability: ['al'],
    rdap_health: [
      { tld: 'fr', endpoint: 'https://rdap.nic.fr/', ok: true, p50_ms: 38, error_rate: 0.02 },
    ],
    bootstrap_source: 'https://data.iana.org/rdap/dns.json',
    bootstrap_last_updated: '2026-11-20T22:00:03.000Z',
  };
}
