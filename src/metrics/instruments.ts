import type { Clock } from '../clock.ts';
import { AnswerCounts } from './answer-counts.ts';
import type { Metrics } from './metrics.ts';

/** What instruments report to. */
type Sink = Pick<Metrics, 'count' | 'observe' | 'registerReader'>;

/** The parts of a lookup outcome that are counted. */
interface CountedOutcome {
  /** Undefined if it could not be looked up; null if there is nothing. */
  readonly data: unknown;
  readonly problem: { readonly code: string } | undefined;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checkedAt: number | undefined;
  /** Null if no registry was queried. */
  readonly evidence: object | null;
}

/** Receives the reports of other parts, each through its own interface. */
export type Instruments = ReturnType<typeof instrument>;

/** Returns the functions through which other parts report to `metrics`. */
export function instrument(metrics: Sink, clock: Clock) {
  const answers = new AnswerCounts();
  return {
    answers,
    requests: requestInstruments(metrics),
    hostRequests: hostRequestInstruments(metrics),
    unrecognizedNotFound: (host: string) =>
      metrics.count('rdap_gateway_registry_unrecognized_not_found_total', [host]),
    aliasUsed: (route: string, alias: string) =>
      metrics.count('rdap_gateway_deprecated_alias_uses_total', [route, alias]),
    credits: {
      reserved: (credits: number) =>
        metrics.count('rdap_gateway_credits_reserved_total', [], credits),
      charged: (credits: number) =>
        metrics.count('rdap_gateway_credits_charged_total', [], credits),
      refunded: (credits: number) =>
        metrics.count('rdap_gateway_credits_refunded_total', [], credits),
    },
    object(type: string, outcome: CountedOutcome) {
      const result = outcome.data === null ? 'not_found' : 'found';
      metrics.count('rdap_gateway_objects_total', [
        type,
        outcome.problem?.code ?? result,
        sourceOf(outcome),
      ]);
    },
    site(lookup: string, { problem, cached }: Pick<CountedOutcome, 'problem' | 'cached'>) {
      const source = cached ? 'cache' : 'site';
      metrics.count('rdap_gateway_site_lookups_total', [lookup, problem?.code ?? 'read', source]);
    },
    outcome(status: string, outcome: CountedOutcome, suffix?: string) {
      const { problem, cached, checkedAt } = outcome;
      metrics.count('rdap_gateway_verdicts_total', [
        status,
        problem?.code ?? 'none',
        sourceOf(outcome),
      ]);
      const reason = status === 'UNKNOWN' ? problem?.code : undefined;
      if (suffix !== undefined) answers.record(suffix, reason ?? 'verdict');
      if (cached && checkedAt !== undefined)
        metrics.observe('rdap_gateway_cache_age_seconds', [], (clock.now() - checkedAt) / 1000);
    },
  };
}

function requestInstruments(metrics: Sink) {
  let streamsOpen = 0;
  metrics.registerReader('rdap_gateway_http_streams_open', () => [[[], streamsOpen]]);
  return {
    answered(route: string, status: number, code: string, ms?: number) {
      metrics.count('rdap_gateway_http_requests_total', [route, String(status), code]);
      if (ms !== undefined)
        metrics.observe('rdap_gateway_http_request_duration_seconds', [route], ms / 1000);
    },
    streamOpened: () => void (streamsOpen += 1),
    streamEnded(route: string, outcome: 'completed' | 'aborted') {
      streamsOpen -= 1;
      metrics.count('rdap_gateway_http_streams_total', [route, outcome]);
    },
  };
}

function hostRequestInstruments(metrics: Sink) {
  return {
    recordRejected: (host: string) =>
      metrics.count('rdap_gateway_registry_requests_total', [host, 'rejected']),
    recordCompleted(host: string, outcome: string, ms: number) {
      metrics.count('rdap_gateway_registry_requests_total', [host, outcome]);
      metrics.observe('rdap_gateway_registry_request_duration_seconds', [host], ms / 1000);
    },
  };
}

function sourceOf({ cached, stale, evidence }: CountedOutcome): string {
  if (cached) return stale ? 'stale' : 'cache';
  return evidence ? 'registry' : 'none';
}
