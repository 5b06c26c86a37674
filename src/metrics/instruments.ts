import type { Clock } from '../clock.ts';
import type { Metrics } from './metrics.ts';

/** What of a name's outcome is counted. */
interface CountedOutcome {
  readonly status: string;
  readonly problem: { readonly code: string } | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checkedAt: number | null;
  /** Null when nobody was asked. */
  readonly evidence: object | null;
}

/** Receives what the parts of the gateway report, each through an interface of its own. */
export type Instruments = ReturnType<typeof instrument>;

/** Returns the reports that metrics count. */
export function instrument(metrics: Metrics, clock: Clock) {
  return {
    requests: requestInstruments(metrics),
    hostRequests: hostRequestInstruments(metrics),
    unrecognizedNotFound: (host: string) =>
      metrics.count('gateway_registry_unrecognized_not_found_total', [host]),
    aliasUsed: (path: string, alias: string) =>
      metrics.count('gateway_deprecated_aliases_total', [path, alias]),
    credits: {
      reserved: (credits: number) => metrics.count('gateway_credits_reserved_total', [], credits),
      charged: (credits: number) => metrics.count('gateway_credits_charged_total', [], credits),
      refunded: (credits: number) => metrics.count('gateway_credits_refunded_total', [], credits),
    },
    outcome(outcome: CountedOutcome) {
      const { status, problem, cached, checkedAt } = outcome;
      metrics.count('gateway_verdicts_total', [status, problem?.code ?? 'none', sourceOf(outcome)]);
      if (cached && checkedAt !== null)
        metrics.count('gateway_cached_answers_total', [ageBucket(clock.now() - checkedAt)]);
    },
  };
}

function requestInstruments(metrics: Metrics) {
  let streamsOpen = 0;
  metrics.registerReader('gateway_streams_open', () => [[[], streamsOpen]]);
  return {
    answered(route: string, status: number, code: string, ms?: number) {
      metrics.count('gateway_requests_total', [route, String(status), code]);
      if (ms !== undefined) metrics.observe('gateway_request_duration_seconds', [route], ms / 1000);
    },
    streamOpened: () => void (streamsOpen += 1),
    streamEnded(route: string, outcome: 'whole' | 'cut') {
      streamsOpen -= 1;
      metrics.count('gateway_streams_total', [route, outcome]);
    },
  };
}

function hostRequestInstruments(metrics: Metrics) {
  return {
    recordRejected: (host: string) =>
      metrics.count('gateway_registry_questions_total', [host, 'unsent']),
    recordCompleted(host: string, outcome: string, ms: number) {
      metrics.count('gateway_registry_questions_total', [host, outcome]);
      metrics.observe('gateway_registry_exchange_duration_seconds', [host], ms / 1000);
    },
  };
}

function sourceOf({ cached, stale, evidence }: CountedOutcome): string {
  if (cached) return stale ? 'stale' : 'cache';
  return evidence ? 'registry' : 'nobody';
}

/** The ages that the freshness of answers knows, and a minute. */
const ageBuckets = [
  ['1m', 60],
  ['5m', 5 * 60],
  ['1h', 60 * 60],
  ['1d', 24 * 60 * 60],
  ['7d', 7 * 24 * 60 * 60],
] as const;

function ageBucket(ms: number): string {
  return ageBuckets.find(([, seconds]) => ms <= seconds * 1000)?.[0] ?? '30d';
}
