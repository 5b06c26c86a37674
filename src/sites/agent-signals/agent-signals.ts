import type { PageVisit, VisitProblem } from '../page/page-visit.ts';

/** The signals that a site publishes for AI agents, in the order of the response. */
export const agentSignalNames = [
  'remote_mcp',
  'openapi',
  'llms_txt',
  'api_catalog',
  'mcp_server_card',
  'agent_skills',
  'oauth',
  'markdown',
  'web_bot_auth',
  'sitemap_markdown',
  'agent_guide',
  'webmcp',
] as const;
/** The name of a signal. */
export type AgentSignalName = (typeof agentSignalNames)[number];

/**
 * `detected`: found, with evidence. `not_detected`: not where it was looked for, which does not
 * prove that there is none. `unknown`: the request failed. `unchecked`: not looked for.
 */
type SignalStatus = 'detected' | 'not_detected' | 'unknown' | 'unchecked';

/** Whether a site publishes a signal, and what shows it. */
export interface AgentSignal {
  readonly name: AgentSignalName;
  readonly status: SignalStatus;
  /** The URL that decided the status; null if none was requested. */
  readonly checkedUrl: string | null;
  /** The HTTP status of that URL; null without a response. */
  readonly httpStatus: number | null;
  /** What was found, as short texts. */
  readonly evidence: readonly string[];
}

/** How the home page was read. Its state is null if it was not read in time. */
export type HomePage = Pick<PageVisit, 'requestedUrl' | 'finalUrl' | 'status'> & {
  readonly fetchState: PageVisit['fetchState'] | null;
};

/** All signals of a site. */
export interface AgentSignals extends HomePage {
  /** `complete`: every signal is known. `unavailable`: none is, because the site cannot be read. */
  readonly outcome: 'complete' | 'partial' | 'unavailable';
  /** Why the outcome is `unavailable`; null otherwise. */
  readonly problem: VisitProblem | null;
  readonly signals: readonly AgentSignal[];
  /** The number of requests to fixed paths that were sent. */
  readonly probeCount: number;
  /** The number of requests if no signal is detected. */
  readonly maxProbes: number;
}
