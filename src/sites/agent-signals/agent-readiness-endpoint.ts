import { agentSignalsLookup } from './agent-signals-lookup.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { agentSignalNames } from './agent-signals.ts';
import * as shape from '../../api/rest/shape.ts';
import { enumMember, lowerCase, siteEndpoint } from '../site-endpoint.ts';

interface Signal {
  readonly name: string;
  readonly status: string;
}

interface Signals {
  readonly signals: readonly Signal[];
}

/** `GET /v1/agent-readiness`: the signals that a site publishes for AI agents. */
export const agentReadiness = siteEndpoint<Signals>('/v1/agent-readiness', {
  lookup: agentSignalsLookup,
  summary: 'Detect agent-readiness signals',
  description:
    'Requests at most 20 fixed paths, and returns the signals with their evidence, without a score. `not_detected` does not prove absence. If the site cannot be read, `outcome` is `unavailable`, and the call costs nothing.',
  target: 'domain or url',
  aliases: { skip_cache: skipCache },
  selection: `
    requested_url: requestedUrl final_url: finalUrl http_status: httpStatus
    fetch_state: fetchState outcome
    signals { name status checked_url: checkedUrl http_status: httpStatus evidence }
    probe_count: probeCount max_probes: maxProbes
  `,
  name: 'AgentReadinessBody',
  members: {
    ...shape.same('requested_url', 'final_url', 'http_status'),
    fetch_state: [
      ({ properties }) => shape.withoutNull({ ...properties['fetch_state'] }, '`unknown`'),
      (result) => result.fetch_state ?? 'unknown',
    ],
    ...enumMember('outcome'),
    signals: [
      ({ types }) => {
        shape.changeType(types, 'AgentSignal', {}, ['name']);
        const signal = shape.schemaRef('AgentSignal');
        return {
          ...shape.objectOf(
            Object.fromEntries(agentSignalNames.map((name) => [name, signal])),
            agentSignalNames,
          ),
          description: 'The signals by name; empty if the site could not be read.',
        };
      },
      ({ signals }) => Object.fromEntries(signals.map(signalEntry)),
    ],
    summary: shape.object({
      detected_signals: shape.count(
        'Number of signals that were detected.',
        ({ signals }) => signals.filter(({ status }) => status === 'DETECTED').length,
      ),
      total_signals: shape.count('Number of signals.', ({ signals }) => signals.length),
    }),
    meta: shape.object(shape.same('probe_count', 'max_probes', 'cached')),
  },
});

function signalEntry({ name, status, ...signal }: Signal): [string, object] {
  return [name, { status: lowerCase(status), ...signal }];
}
