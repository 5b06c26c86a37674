import { resultField } from '../site-field.ts';
import { agentSignalsLookup } from './agent-signals-lookup.ts';
import type { AgentSignal, AgentSignals } from './agent-signals.ts';
import { enumOfWords, objectType } from '../../schema/builder.ts';
import { FetchStateType } from '../page/page-schema.ts';
import { siteResult, withProblemOfData } from '../site-result.ts';

const SignalStatus = enumOfWords('AgentSignalStatus', [
  'detected',
  'not_detected',
  'unknown',
  'unchecked',
]);

const SignalsOutcome = enumOfWords('AgentSignalsOutcome', ['complete', 'partial', 'unavailable']);

const AgentSignalType = objectType<AgentSignal>('AgentSignal', (t) => ({
  name: t.exposeString('name'),
  status: t.expose('status', { type: SignalStatus }),
  checkedUrl: t.exposeString('checkedUrl', { nullable: true }),
  httpStatus: t.exposeInt('httpStatus', { nullable: true }),
  evidence: t.exposeStringList('evidence'),
}));

export const AgentSignalsType = siteResult<AgentSignals>('AgentSignals', (t, field) => ({
  requestedUrl: t.string(field('requestedUrl')),
  finalUrl: t.string(field('finalUrl')),
  httpStatus: t.int(field('status')),
  fetchState: t.field({ type: FetchStateType, ...field('fetchState') }),
  outcome: t.field({ type: SignalsOutcome, ...field('outcome') }),
  signals: t.field({ type: [AgentSignalType], ...field('signals') }),
  probeCount: t.int(field('probeCount')),
  maxProbes: t.int(field('maxProbes')),
}));

export const agentSignalsField = resultField(
  AgentSignalsType,
  agentSignalsLookup,
  withProblemOfData,
);
