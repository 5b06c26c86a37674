import type { AgentSignal, AgentSignals } from '../../src/sites/agent-signals/agent-signals.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { FetchStateType } from './page-parts.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

const SignalStatus = builder.enumType('AgentSignalStatus', {
  values: {
    DETECTED: { value: 'detected' },
    NOT_DETECTED: { value: 'not_detected' },
    UNKNOWN: { value: 'unknown' },
    UNCHECKED: { value: 'unchecked' },
  } as const,
});

const SignalsOutcome = builder.enumType('AgentSignalsOutcome', {
  values: {
    COMPLETE: { value: 'complete' },
    PARTIAL: { value: 'partial' },
    UNAVAILABLE: { value: 'unavailable' },
  } as const,
});

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
