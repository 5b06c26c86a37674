import type { AgentSignal, AgentSignals } from '../../src/sites/agent-signals/agent-signals.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder, enumOfWords } from '../builder.ts';
import { FetchStateType } from './page-parts.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

const SignalStatus = enumOfWords('AgentSignalStatus', [
  'detected',
  'not_detected',
  'unknown',
  'unchecked',
]);

const SignalsOutcome = enumOfWords('AgentSignalsOutcome', ['complete', 'partial', 'unavailable']);

const AgentSignalType = builder.objectRef<AgentSignal>('AgentSignal').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    status: t.expose('status', { type: SignalStatus }),
    checkedUrl: t.exposeString('checkedUrl', { nullable: true }),
    httpStatus: t.exposeInt('httpStatus', { nullable: true }),
    evidence: t.exposeStringList('evidence'),
  }),
});

const field = fieldOf<AgentSignals>();

export const AgentSignalsType = builder.objectRef<Outcome<AgentSignals>>('AgentSignals').implement({
  interfaces: [SiteResultType],
  fields: (t) => ({
    requestedUrl: t.string(field('requestedUrl')),
    finalUrl: t.string(field('finalUrl')),
    httpStatus: t.int(field('status')),
    fetchState: t.field({ type: FetchStateType, ...field('fetchState') }),
    outcome: t.field({ type: SignalsOutcome, ...field('outcome') }),
    signals: t.field({ type: [AgentSignalType], ...field('signals') }),
    probeCount: t.int(field('probeCount')),
    maxProbes: t.int(field('maxProbes')),
  }),
});
