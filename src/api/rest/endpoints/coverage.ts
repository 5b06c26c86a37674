import {
  isHealthy,
  isMeasured,
  provesAvailable,
  type CoveredTld,
  type HostStatus,
} from '../../../domain/catalogue.ts';
import { sourceKinds } from '../../../domain/answer.ts';
import { byField } from '../../../domain/registration.ts';
import type { TldCategory } from '../../../domain/tld-sets.ts';
import { endpoint, parameterProblems } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { sourceDescriptions } from '../rows.ts';
import * as shape from '../shape.ts';
import type { Member } from '../shape.ts';
import { freeOfCharge } from './tlds.ts';

interface Coverage {
  readonly tlds: readonly CoveredTld[];
  readonly bootstrap: { readonly source: string; readonly publishedAt: string | null };
}

function labelsOf(description: string, matches: (tld: CoveredTld) => boolean): Member<Coverage> {
  return shape.texts(description, ({ tlds }) => tlds.filter(matches).map(({ label }) => label));
}

const ofType = (category: TldCategory) =>
  labelsOf(`The TLDs of type \`${category}\`.`, ({ type }) => type === category);

const sourceMembers = Object.fromEntries(
  sourceKinds.map((source) => [
    source,
    labelsOf(`The TLDs with this source. ${sourceDescriptions[source]}`, ({ sources }) =>
      sources.some(({ kind }) => kind === source),
    ),
  ]),
);

interface Health {
  readonly tld: string;
  readonly endpoint: string;
  readonly status: HostStatus;
}

const healthType = shape.objectType<Health>(
  'RegistryHealth',
  {
    tld: shape.text('The TLD as an A-label, such as `com` or `xn--p1ai`.', ({ tld }) => tld),
    endpoint: shape.text('Base URL of the RDAP server.', (health) => health.endpoint),
    ok: shape.flag(
      'False while requests to the host are paused (it requested a back-off, or its circuit breaker is open), or if more than half of the last 100 requests failed.',
      ({ status }) => isHealthy(status),
    ),
    p50_ms: [
      shape.orNull(
        shape.count(
          'Median latency of the last 100 requests, in milliseconds; null before the first.',
        ),
      ),
      ({ status: { p50Ms } }) => p50Ms && Math.round(p50Ms),
    ],
    error_rate: [
      shape.orNull({
        type: 'number',
        minimum: 0,
        maximum: 1,
        description: 'Share of the last 100 requests that failed; null before the first.',
      }),
      ({ status: { errorRate } }) => errorRate && Math.round(errorRate * 1000) / 1000,
    ],
  },
  'Health of a registry host. All TLDs of a host have the same values.',
);

const bodyType = shape.objectType<Coverage>('Coverage', {
  gtlds: ofType('gtld'),
  cctlds: ofType('cctld'),
  total_tlds: shape.count('Number of supported TLDs.', ({ tlds }) => tlds.length),
  all_tlds: labelsOf('All supported TLDs, in alphabetical order.', () => true),
  sources: [
    (source) => ({
      description: 'The TLDs by source, in alphabetical order. A TLD may have several sources.',
      ...shape.print(sourceMembers, source),
    }),
    (data) => shape.render(sourceMembers, data),
  ],
  publishes: shape.object(
    byField((field) =>
      labelsOf(
        `The TLDs whose registries publish the fact \`${field}\` of registrations, as documented.`,
        ({ publishes }) => publishes.documented[field] === true,
      ),
    ),
  ),
  without_availability: labelsOf(
    'The TLDs without a source that can prove that a name is available. Their names are never `available: true`.',
    (tld) => !provesAvailable(tld),
  ),
  rdap_health: shape.listOf(
    'One row per TLD whose RDAP server is in a back-off or has been queried by this process since it started.',
    healthType,
    ({ tlds }) => healthRows(tlds),
  ),
  bootstrap_source: shape.text(
    'Source of the registry list: the URL of the bootstrap document (RFC 9224) without its query string, `file`, or `built-in` until a document has been loaded. Servers that the operator added are not part of the list.',
    ({ bootstrap }) => bootstrap.source,
  ),
  bootstrap_last_updated: shape.timeOrNull(
    'The publication date of the registry list; null if it states none.',
    ({ bootstrap }) => bootstrap.publishedAt,
  ),
});

/**
 * `GET /v1/coverage`: the TLDs that can be looked up, their sources, the health of their
 * registries, and the source of the bootstrap document.
 */
export const coverage = endpoint('GET /v1/coverage', {
  tag: 'TLDs',
  summary: 'Get TLD coverage and registry health',
  description: `Returns all TLDs of \`/v1/tlds\` by type and by source, the health of their RDAP servers as measured by this gateway process, and the source of the registry list. ${freeOfCharge}`,
  success: 'The TLDs and the health of their registries.',
  parameters: {},
  problems: parameterProblems,
  body: bodyType.print,
  parse: (http) => ({
    ...readRequest(http, () => ({})),
    variables: {},
    body: (_data, _durationMs, catalogue) => ({
      body: bodyType.render({ tlds: catalogue.covered(), bootstrap: catalogue.bootstrap() }),
    }),
  }),
});

/**
 * Returns a row for each TLD whose registry host this process has measured. Other hosts are omitted
 * rather than guessed.
 */
function healthRows(tlds: readonly CoveredTld[]): readonly Health[] {
  // Computed once per host: one host serves hundreds of TLDs, and each call computes its median.
  const statusByEndpoint = new Map<string, HostStatus | null>();
  return tlds.flatMap(({ label, rdapEndpoint, health }) => {
    if (rdapEndpoint === null) return [];
    if (!statusByEndpoint.has(rdapEndpoint)) statusByEndpoint.set(rdapEndpoint, health());
    const status = statusByEndpoint.get(rdapEndpoint);
    if (!status || !isMeasured(status)) return [];
    return [{ tld: label, endpoint: rdapEndpoint, status }];
  });
}
