import type { CoveredTld, HostStatus, TldType } from '../../domain/catalogue.ts';
import type { CatalogueRoute } from './catalogue-handler.ts';
import { requestsSnakeCase } from './key-naming.ts';

/** `GET /v1/coverage`: the TLDs that can be looked up, how their registries respond, and where the list of registries comes from. */
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
        rdap_health: healthRows(tlds),
        bootstrap_source: source,
        bootstrap_last_updated: publishedAt,
      };
    };
  },
};

function labelsOf(tlds: readonly CoveredTld[], tldType: TldType): readonly string[] {
  return tlds.filter(({ type }) => type === tldType).map(({ label }) => label);
}

/** Returns a row for each TLD whose registry host this process knows something of: a claim about any other would be a guess. */
function healthRows(tlds: readonly CoveredTld[]): readonly object[] {
  // One host serves hundreds of TLDs, and its median is computed each time.
  const metricsByEndpoint = new Map<string, object | undefined>();
  return tlds.flatMap(({ label, rdapEndpoint, health }) => {
    if (!metricsByEndpoint.has(rdapEndpoint))
      metricsByEndpoint.set(rdapEndpoint, hostMetrics(health()));
    const metrics = metricsByEndpoint.get(rdapEndpoint);
    return metrics ? [{ tld: label, endpoint: rdapEndpoint, ...metrics }] : [];
  });
}

/** Undefined where the host was neither queried nor requested a pause. */
function hostMetrics(health: HostStatus | null): object | undefined {
  if (!health || (health.p50Ms === null && health.retryAt === null)) return undefined;
  const { retryAt, p50Ms, errorRate } = health;
  return {
    ok: retryAt === null && (errorRate ?? 0) <= maxErrorRate,
    p50_ms: p50Ms && Math.round(p50Ms),
    error_rate: errorRate && Math.round(errorRate * 1000) / 1000,
  };
}

/** Of the last requests, in a host that is up. */
const maxErrorRate = 0.5;
