/** The status of a registry host, as observed by this process. */
export interface HostStatus {
  readonly queued: number;
  /** Requests sent and not answered yet. */
  readonly inFlight: number;
  /** The current maximum of `inFlight`, which is lower after the host was busy. */
  readonly maxInFlight: number;
  /** Sustained requests per second; 0 = no limit. */
  readonly rate: number;
  /** Used share of the daily allowance, 0 to 1; null if the host has none. */
  readonly dailyAllowanceUsed: number | null;
  /** End of the back-off that the host requested; epoch ms. */
  readonly backoffUntil: number | null;
  /** The circuit breaker is open: no requests are sent. */
  readonly circuitOpen: boolean;
  /** When requests are sent again, after a back-off or an open circuit breaker; epoch ms. */
  readonly retryAt: number | null;
  /** Median response time of recent requests; null before the first. */
  readonly p50Ms: number | null;
  /** Share of recent requests that failed, 0 to 1; null before the first. */
  readonly errorRate: number | null;
}

/** Maximum share of failed requests, among the last ones, for a host to count as healthy. */
const maxErrorRate = 0.5;

/** Returns whether a host was queried, or has requested a back-off. */
export function isMeasured(status: HostStatus | null): status is HostStatus {
  return status !== null && (status.p50Ms !== null || status.retryAt !== null);
}

/** Returns whether the requests to a host succeed. */
export function isHealthy({ retryAt, errorRate }: HostStatus): boolean {
  return retryAt === null && (errorRate ?? 0) <= maxErrorRate;
}
