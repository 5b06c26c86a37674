import { provesAvailable, type CoveredTld, type HostStatus } from '../../domain/catalogue.ts';
import { sourceKinds } from '../../domain/answer.ts';
import type { TldCategory } from '../../domain/tld-sets.ts';
import type { CatalogueRoute } from './catalogue-handler.ts';
import { requestsSnakeCase } from './key-naming.ts';

/**
 * `GET /v1/coverage`: the TLDs that can be looked up, their sources, the health of their
 * registries, and the source of the bootstrap document.
 */
export const coverageRoute: CatalogueRoute = {
  path: '/v1/coverage',
  parse({ query, request }) {
    requestsSnakeCase(query, request.headers);
    return (catalogue) => {
      const tlds = catalogue.covered();
      const { source, publishedAt } = catalogue.bootstrap();
      return {
        gtlds: labelsOf(tlds, 'gtld'),
        cctlds: labelsOf(tlds, 'cctld'),
        total_tlds: tlds.length,
        all_tlds: tlds.map(({ label }) => label),
        sources: labelsBySource(tlds),
        without_availability: tlds.filter((tld) => !provesAvailable(tld)).map(({ label }) => label),
        rdap_health: healthRows(tlds),
        bootstrap_source: source,
        bootstrap_last_updated: publishedAt,
      };
    };
  },
};

function labelsOf(tlds: readonly CoveredTld[], tldType: TldCategory): readonly string[] {
  return tlds.filter(({ type }) => type === tldType).map(({ label }) => label);
}

/** Returns the TLDs that have each kind of source. Every kind has a key. */
function labelsBySource(tlds: readonly CoveredTld[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    sourceKinds.map((source) => [
      source,
      tlds
        .filter(({ sources }) => sources.some(({ kind }) => kind === source))
        .map(({ label }) => label),
    ]),
  );
}

/**
 * Returns a row for each TLD whose registry host this process has measured. Other hosts are omitted
 * rather than guessed.
 */
function healthRows(tlds: readonly CoveredTld[]): readonly object[] {
  // Computed once per host: one host serves hundreds of TLDs, and each call computes its median.
  const metricsByEndpoint = new Map<string, object | undefined>();
  return tlds.flatMap(({ label, rdapEndpoint, health }) => {
    if (rdapEndpoint === null) return [];
    if (!metricsByEndpoint.has(rdapEndpoint))
      metricsByEndpoint.set(rdapEndpoint, hostMetrics(health()));
    const metrics = metricsByEndpoint.get(rdapEndpoint);
    return metrics ? [{ tld: label, endpoint: rdapEndpoint, ...metrics }] : [];
  });
}

/** Returns undefined for a host that was not queried and has not requested a back-off. */
function hostMetrics(health: HostStatus | null): object | undefined {
  if (!health || (health.p50Ms === null && health.retryAt === null)) return undefined;
  const { retryAt, p50Ms, errorRate } = health;
  return {
    ok: retryAt === null && (errorRate ?? 0) <= maxErrorRate,
    p50_ms: p50Ms && Math.round(p50Ms),
    error_rate: errorRate && Math.round(errorRate * 1000) / 1000,
  };
}

/** Maximum share of failed requests, among the last ones, for a host to count as healthy. */
const maxErrorRate = 0.5;
