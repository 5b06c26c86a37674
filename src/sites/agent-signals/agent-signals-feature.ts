import * as shape from '../../api/rest/shape.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { keyOfPage, type Fact } from '../fact.ts';
import { pageFact } from '../page/page-feature.ts';
import { allowsUrl } from '../robots/robots-file.ts';
import { robotsFact } from '../robots/robots-feature.ts';
import { enumMember, lowerCase, siteEndpoint } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import { lookupOf } from '../site-lookup.ts';
import { withProblemOfData } from '../site-result.ts';
import { pageAt } from '../site-target.ts';
import { agentSignalNames, type AgentSignals } from './agent-signals.ts';

const fact: Fact<AgentSignals> = {
  name: 'agentSignals',
  from: 'site',
  // The signals include those that the page declares.
  keyOf: keyOfPage,
  isTemporary: ({ outcome, signals }) =>
    outcome === 'unavailable' || signals.some(({ status }) => status === 'unknown'),
  async open({ client, clock, read }) {
    const { agentSignalsReader } = await import('./agent-signals-reader.ts');
    return agentSignalsReader({
      client,
      clock,
      page: (query, request) => read(pageFact, query, undefined, request),
      isAllowed: async (url, request) => {
        const answer = await read(robotsFact, { target: pageAt(url) }, undefined, request);
        return 'data' in answer && allowsUrl(answer.data, url);
      },
    });
  },
};

const lookup = lookupOf(fact, {
  price: 3,
  workMs: 22,
  about: 'page',
  isCharged: ({ outcome }) => outcome !== 'unavailable',
});

interface Signal {
  readonly name: string;
  readonly status: string;
}

interface Signals {
  readonly signals: readonly Signal[];
}

/** `GET /v1/agent-readiness`: the signals that a site publishes for AI agents. */
const endpoint = siteEndpoint<Signals>('/v1/agent-readiness', {
  lookup,
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
      total_signals: shape.count('Number of signals.', 'signals.length'),
    }),
    meta: shape.object(shape.same('probe_count', 'max_probes', 'cached')),
  },
});

function signalEntry({ name, status, ...signal }: Signal): [string, object] {
  return [name, { status: lowerCase(status), ...signal }];
}

/** The feature `agentSignals`: what a site publishes for AI agents. */
export const agentSignals = {
  lookup,
  field: resultField('AgentSignals', lookup, withProblemOfData),
  endpoints: [endpoint],
} satisfies Feature;
