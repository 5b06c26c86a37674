import { lowerCase, siteRoute } from './site-route.ts';

interface Signals {
  readonly outcome: string | null;
  readonly signals: readonly { readonly name: string; readonly status: string }[];
  readonly probe_count: number | null;
  readonly max_probes: number | null;
}

/** `GET /v1/agent-readiness`: the signals that a site publishes for AI agents. */
export const agentReadinessRoute = siteRoute<Signals>({
  path: '/v1/agent-readiness',
  target: 'domain or url',
  bodyOf: ({ outcome, signals, probe_count, max_probes }) => ({
    outcome: lowerCase(outcome),
    signals: Object.fromEntries(
      signals.map(({ name, status, ...signal }) => [
        name,
        { status: lowerCase(status), ...signal },
      ]),
    ),
    summary: {
      detected_signals: signals.filter(({ status }) => status === 'DETECTED').length,
      total_signals: signals.length,
    },
    meta: { probe_count, max_probes },
  }),
});
