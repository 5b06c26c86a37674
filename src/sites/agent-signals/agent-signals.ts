import type { PageVisit, VisitProblem, LinkElement } from '../page/page-visit.ts';

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

/** What one request, or all requests of a signal, showed about it. */
export type SignalState = Omit<AgentSignal, 'name'>;

export type SignalStates = Partial<Readonly<Record<AgentSignalName, SignalState>>>;

/** The state of a signal that was not looked for. */
export const unchecked: SignalState = {
  status: 'unchecked',
  checkedUrl: null,
  httpStatus: null,
  evidence: [],
};

/**
 * Returns what a response without the expected form means. 4xx means that there is nothing, except
 * for statuses that also protect what exists or that are temporary.
 */
export function statusWithoutEvidence(httpStatus: number): 'not_detected' | 'unknown' {
  const isUnclear = [401, 403, 405, 407, 408, 425, 429, 451].includes(httpStatus);
  return isUnclear || httpStatus >= 500 ? 'unknown' : 'not_detected';
}

/** The state that decides comes first. */
const statusOrder = ['detected', 'unknown', 'not_detected', 'unchecked'] as const;

/**
 * Combines the states of the requests of one signal. If none detected it and one failed, it is
 * unknown: the failed request may have detected it.
 */
export function combineStates(states: readonly SignalState[]): SignalState {
  return (
    statusOrder.flatMap((status) => states.filter((state) => state.status === status))[0] ??
    unchecked
  );
}

/**
 * Returns the signals that the home page declares, so that no request is needed. A link with
 * `service-desc` may have any format (RFC 8631 section 4.2), so its type must be that of OpenAPI.
 */
export function declaredSignals(visit: PageVisit): SignalStates {
  const { document, finalUrl, status } = visit;
  const state = (found: readonly string[]): SignalState => ({
    status: found.length > 0 ? 'detected' : 'not_detected',
    checkedUrl: finalUrl ?? visit.requestedUrl,
    httpStatus: status,
    evidence: found.slice(0, maxEvidence).map((text) => text.slice(0, maxEvidenceLength)),
  });

  const relations = linkRelations(visit);
  const linked = (name: AgentSignalName, rel: string, mediaType = /^/) => {
    const links = relations.filter(
      ({ rel: relation, type }) => relation.includes(rel) && mediaType.test(type ?? ''),
    );
    return links.length > 0 ? { [name]: state(links.map(({ url }) => `rel=${rel} ${url}`)) } : {};
  };

  return {
    ...linked('openapi', 'service-desc', /^application\/vnd\.oai\.openapi/i),
    ...linked('api_catalog', 'api-catalog'),
    ...linked('remote_mcp', 'mcp'),
    webmcp: document
      ? state(document.webMcp)
      : { ...state([]), status: visit.problem ? 'unknown' : 'not_detected' },
  };
}

const maxEvidence = 5;
const maxEvidenceLength = 300;

/** Returns the links of the page and of its `Link` header (RFC 8288 section 3). */
function linkRelations(visit: PageVisit): readonly Omit<LinkElement, 'sizes'>[] {
  const header = visit.headers['link'] ?? '';
  // `<` starts each link, and neither part may contain it, so that the match takes linear time.
  const links = header.matchAll(/<([^<>]{1,500})>([^<]{0,500})/g);
  const declared = Array.from(links, ([, url = '', parameters = '']) => {
    const [, rel = ''] = /;\s{0,10}rel="?([^";,]{1,100})/i.exec(parameters) ?? [];
    const [, type = null] = /;\s{0,10}type="?([^";,]{1,100})/i.exec(parameters) ?? [];
    return { rel: rel.toLowerCase().split(/\s+/), url, type };
  });

  return [...(visit.document?.links ?? []), ...declared];
}

/**
 * Returns the result of a read: all signals in their fixed order, and how many are known. `problem`
 * applies if none is. Absent signals were not looked for.
 */
export function signalsOf(
  states: SignalStates,
  problem: VisitProblem,
  read: Omit<AgentSignals, 'outcome' | 'problem' | 'signals'>,
): AgentSignals {
  const signals = agentSignalNames.map((name) => ({ name, ...(states[name] ?? unchecked) }));
  const known = signals.filter(({ status }) => ['detected', 'not_detected'].includes(status));
  const outcome =
    known.length === signals.length ? 'complete' : known.length > 0 ? 'partial' : 'unavailable';
  return { outcome, problem: outcome === 'unavailable' ? problem : null, signals, ...read };
}
