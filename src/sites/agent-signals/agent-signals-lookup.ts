import { keyOfPage, type Fact } from '../fact.ts';
import { pageFact } from '../page/page-lookups.ts';
import { allowsUrl } from '../robots/robots-file.ts';
import { robotsFact } from '../robots/robots-lookup.ts';
import { lookupOf } from '../site-lookup.ts';
import { pageAt } from '../site-target.ts';
import type { AgentSignals } from './agent-signals.ts';

const agentSignalsFact: Fact<AgentSignals> = {
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

export const agentSignalsLookup = lookupOf(agentSignalsFact, {
  price: 3,
  workMs: 22,
  about: 'page',
  isCharged: ({ outcome }) => outcome !== 'unavailable',
});
