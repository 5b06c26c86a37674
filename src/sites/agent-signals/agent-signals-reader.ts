import { withoutWww } from '../site-target.ts';
import type { Clock } from '../../clock.ts';
import {
  agentSignalNames,
  combineStates,
  declaredSignals,
  signalsOf,
  unchecked,
  type AgentSignalName,
  type AgentSignals,
  type HomePage,
  type SignalState,
  type SignalStates,
} from './agent-signals.ts';
import type { PageVisit, VisitProblem } from '../page/page-visit.ts';
import {
  derivedRequest,
  type ReadFact,
  type SiteAnswer,
  type SiteQuery,
  type SiteRequest,
} from '../site-facts.ts';
import type { SiteClient } from '../site-client.ts';
import { maxProbes, probes } from './probes.ts';
import { Prober } from './prober.ts';

interface AgentSignalsReaderOptions {
  readonly client: SiteClient;
  /** Reads the home page, which other lookups share. */
  readonly page: (query: SiteQuery, request: SiteRequest) => Promise<SiteAnswer<PageVisit>>;
  /** Returns whether the robots.txt of a URL allows it. */
  readonly isAllowed: (url: URL, request: SiteRequest) => Promise<boolean>;
  readonly clock: Clock;
}

const timeLimitMs = 15_000;

/**
 * Creates the reader of the signals that a site publishes for AI agents. It reads the home page and
 * sends at most 20 requests to fixed paths, with at most one redirect each, within 15 seconds; after
 * five failures without an answer it stops. It never rejects: a site that cannot be read has the
 * outcome `unavailable`.
 */
export function agentSignalsReader(options: AgentSignalsReaderOptions): ReadFact<AgentSignals> {
  return async (query, request) => {
    const limit = new AbortController();
    const cancel = options.clock.after(timeLimitMs, () => limit.abort());
    const signal = AbortSignal.any([request.signal, limit.signal]);
    try {
      return await read(options, query, derivedRequest(request, { signal }));
    } finally {
      cancel();
    }
  };
}

async function read(
  { client, page, isAllowed }: AgentSignalsReaderOptions,
  query: SiteQuery,
  request: SiteRequest,
) {
  const answer = await page(query, request);
  const visit = 'data' in answer ? answer.data : undefined;
  const home = homePageOf(query, visit);
  const problem = visit ? visit.problem : notReadInTime(query);

  // Without a connection to the home page, none of the paths would be answered.
  const isUnreachable = problem?.code === 'site_unreachable' || problem?.code === 'site_timeout';
  if (problem && isUnreachable && (visit?.status ?? null) === null)
    return unavailable(home, problem);

  const declared = visit ? declaredSignals(visit) : {};
  const prober = new Prober({ client, isAllowed, request, origin: originOf(query, visit) });
  const states = await Promise.all(
    agentSignalNames.map(async (name) => [name, await stateOf(name, declared, prober)] as const),
  );
  const found = withoutRepeatedTexts(Object.fromEntries(states), prober.texts);

  const detail = `${query.target.host} answered none of the requests for signals.`;
  const counts = { probeCount: prober.count, maxProbes };
  return signalsOf(found, problem ?? { code: 'site_unreachable', detail }, { ...home, ...counts });
}

function homePageOf({ target }: SiteQuery, visit: PageVisit | undefined): HomePage {
  if (!visit)
    return { requestedUrl: target.url.href, finalUrl: null, status: null, fetchState: null };
  const { requestedUrl, finalUrl, status, fetchState } = visit;
  return { requestedUrl, finalUrl, status, fetchState };
}

/** The read of the home page rejects only if it is cancelled, as it is at the time limit. */
function notReadInTime({ target }: SiteQuery): VisitProblem {
  return { code: 'site_timeout', detail: `${target.host} was not read in time.` };
}

/** Returns the state of a signal: as the home page declares it, else by requests until one detects it. */
async function stateOf(
  name: AgentSignalName,
  declared: SignalStates,
  prober: Prober,
): Promise<SignalState> {
  const known = declared[name];
  if (known || name === 'webmcp') return known ?? unchecked;

  const states: SignalState[] = [];
  for (const probe of probes[name]) {
    const state = await prober.send(probe);
    states.push(state);
    if (state.status === 'detected') break;
  }

  return combineStates(states);
}

function unavailable(home: HomePage, problem: VisitProblem) {
  const state: SignalState = {
    status: 'unknown',
    checkedUrl: home.requestedUrl,
    httpStatus: null,
    evidence: [],
  };
  const states = Object.fromEntries(agentSignalNames.map((name) => [name, state]));

  return signalsOf(states, problem, { ...home, probeCount: 0, maxProbes });
}

/**
 * Returns the origin whose paths are read: that of the home page after redirects within the site, so
 * that a site without HTTPS, or with `www.` only, is read where it is.
 */
function originOf({ target }: SiteQuery, visit: PageVisit | undefined): URL {
  const final = new URL(visit?.finalUrl ?? target.url);
  const isSameSite = withoutWww(final.hostname) === withoutWww(target.host);
  return new URL('/', isSameSite ? final : target.url);
}

/** The signals whose files cannot be the same text. */
const textSignals = ['llms_txt', 'sitemap_markdown', 'agent_guide'] as const;

/**
 * Returns the states, with `not_detected` for signals that were detected by the same text: a server
 * that sends one text for several paths, such as an error page in Markdown, sends it for all unknown
 * paths. `texts`: the detected texts by their URL.
 */
function withoutRepeatedTexts(
  states: SignalStates,
  texts: ReadonlyMap<string, string>,
): SignalStates {
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

  return { ...states, ...(Object.fromEntries(rejected) as SignalStates) };
}
