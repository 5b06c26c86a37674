import { provesAvailable, type Catalogue, type CoveredTld } from '../../../domain/catalogue.ts';
import { isHealthy, isMeasured, type HostStatus } from '../../../domain/host-status.ts';
import { sourceKinds } from '../../../domain/answer.ts';
import { byField } from '../../../domain/registration.ts';
import { endpoint, parameterProblems } from '../endpoint.ts';
import { readRequest } from '../key-naming.ts';
import { schemaRef } from '../shape.ts';
import { freeOfCharge } from './tlds.ts';

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
  schema: () => schemaRef('Coverage'),
  parse: (http) => ({
    ...readRequest(http, () => ({})),
    variables: {},
    render: (_data, _durationMs, catalogue) => ({ body: bodyOf(catalogue) }),
  }),
});

function bodyOf(catalogue: Catalogue) {
  const tlds = catalogue.covered();
  const { source, publishedAt } = catalogue.bootstrap();
  const labelsOf = (matches: (tld: CoveredTld) => boolean) =>
    tlds.filter(matches).map(({ label }) => label);

  return {
    gtlds: labelsOf(({ type }) => type === 'gtld'),
    cctlds: labelsOf(({ type }) => type === 'cctld'),
    total_tlds: tlds.length,
    all_tlds: labelsOf(() => true),
    sources: Object.fromEntries(
      sourceKinds.map((kind) => [
        kind,
        labelsOf(({ sources }) => sources.some((each) => each.kind === kind)),
      ]),
    ),
    publishes: byField((field) =>
      labelsOf(({ publishes }) => publishes.documented[field] === true),
    ),
    without_availability: labelsOf((tld) => !provesAvailable(tld)),
    rdap_health: healthRows(tlds),
    bootstrap_source: source,
    bootstrap_last_updated: publishedAt,
  };
}

/**
 * Returns a row for each TLD whose registry host this process has measured. Other hosts are omitted
 * rather than guessed.
 */
function healthRows(tlds: readonly CoveredTld[]) {
  // Computed once per host: one host serves hundreds of TLDs, and each call computes its median.
  const healthByEndpoint = new Map<string, object | undefined>();

  return tlds.flatMap(({ label, rdapEndpoint: url, health }) => {
    if (url === null) return [];
    if (!healthByEndpoint.has(url)) healthByEndpoint.set(url, healthOf(health()));
    const values = healthByEndpoint.get(url);

    return values ? [{ tld: label, endpoint: url, ...values }] : [];
  });
}

/** Returns the values of a host; undefined before its first request. */
function healthOf(status: HostStatus | null) {
  if (!isMeasured(status)) return undefined;

  const { p50Ms, errorRate } = status;

  return {
    ok: isHealthy(status),
    p50_ms: p50Ms && Math.round(p50Ms),
    error_rate: errorRate && Math.round(errorRate * 1000) / 1000,
  };
}
