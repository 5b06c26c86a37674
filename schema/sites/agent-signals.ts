import type { AgentSignal, AgentSignals } from '../../src/sites/agent-signals/agent-signals.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

const SignalStatus = builder.enumType('AgentSignalStatus', {
  description:
    'Whether a signal was found. Values may be added; clients must tolerate unknown ones.',
  values: {
    DETECTED: { value: 'detected', description: 'Found, with evidence.' },
    NOT_DETECTED: {
      value: 'not_detected',
      description: 'Not where it was looked for, which does not prove that there is none.',
    },
    UNKNOWN: { value: 'unknown', description: 'The request failed.' },
    UNCHECKED: { value: 'unchecked', description: 'Not looked for.' },
  } as const,
});

const SignalsOutcome = builder.enumType('AgentSignalsOutcome', {
  description: 'How much is known. Values may be added; clients must tolerate unknown ones.',
  values: {
    COMPLETE: { value: 'complete', description: 'Every signal is known.' },
    PARTIAL: { value: 'partial', description: 'Some signals are unknown.' },
    UNAVAILABLE: { value: 'unavailable', description: 'The site cannot be read.' },
  } as const,
});

const AgentSignalType = builder.objectRef<AgentSignal>('AgentSignal').implement({
  description: 'A signal that a site may publish for AI agents.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'The signal, such as `llms_txt`, `openapi` or `remote_mcp`. Names may be added.',
    }),
    status: t.expose('status', { type: SignalStatus, description: 'Whether it was found.' }),
    checkedUrl: t.exposeString('checkedUrl', {
      nullable: true,
      description: 'The URL that was read for it; null if none was.',
    }),
    httpStatus: t.exposeInt('httpStatus', {
      nullable: true,
      description: 'The HTTP status of that URL; null without a response.',
    }),
    evidence: t.exposeStringList('evidence', { description: 'What was found, as short texts.' }),
  }),
});

const field = fieldOf<AgentSignals>();

export const AgentSignalsType = builder.objectRef<Outcome<AgentSignals>>('AgentSignals').implement({
  interfaces: [SiteResultType],
  description:
    'Signals that a site publishes for AI agents at well-known paths. There is no score: a signal that was not ' +
    'detected may exist elsewhere, and one that was detected need not work.',
  fields: (t) => ({
    outcome: t.field({
      type: SignalsOutcome,
      ...field('outcome', 'How much is known.'),
    }),
    signals: t.field({
      type: [AgentSignalType],
      ...field('signals', 'The signals, always in the same order.'),
    }),
    probeCount: t.int(field('probeCount', 'The number of requests that were sent.')),
    maxProbes: t.int(field('maxProbes', 'The maximum number of requests.')),
  }),
});
