import type { AgentSignalName } from './agent-signals.ts';
import type { SignalState } from './signal-rules.ts';

type States = Partial<Readonly<Record<AgentSignalName, SignalState>>>;

/** The signals whose files cannot be the same text. */
const textSignals = ['llms_txt', 'sitemap_markdown', 'agent_guide'] as const;

/**
 * Returns the states, with `not_detected` for signals that were detected by the same text: a server
 * that sends one text for several paths, such as an error page in Markdown, sends it for all unknown
 * paths. `texts`: the detected texts by their URL.
 */
export function withoutRepeatedTexts(states: States, texts: ReadonlyMap<string, string>): States {
  const detected = textSignals.flatMap((name) => {
    const state = states[name];
    const text = state?.status === 'detected' ? texts.get(state.checkedUrl ?? '') : undefined;
    return state && text !== undefined ? [{ name, state, text }] : [];
  });
  const repeated = detected.filter(({ name, text }) =>
    detected.some((other) => other.name !== name && other.text === text),
  );
  const rejected = repeated.map(({ name, state }) => [
    name,
    { ...state, status: 'not_detected', evidence: [] },
  ]);
  return { ...states, ...(Object.fromEntries(rejected) as States) };
}
