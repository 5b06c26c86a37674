import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import { askerKinds, unanswered, type Answer, type Asker } from '../domain/registry.ts';
import { Problem, type ProblemCode } from '../problems.ts';
import type { FlightState, Leases, Standing } from './leases.ts';

/** What a node does about a name that its own memory does not answer. */
export interface SharedLookup {
  readonly name: DomainName;
  readonly asker: Asker;
  /** What was learned until then is no news; epoch ms. */
  readonly known: number;
  /** Asks the registry, and keeps what it says. */
  ask(asker: Asker): Promise<Answer>;
  /** What another node has learned meanwhile; undefined when the store does not have all that is wanted. */
  recall(): Promise<Answer | undefined>;
}

/** A flight that waits for its turn for longer tells the other nodes so. */
const queuedAfterMs = 50;
/** How often a flight says that its node lives. */
const renewMs = 700;
/** How often a node looks after a flight of another, where no notices reach it. */
const lookMs = 150;

/**
 * One lookup of a name in all of the fleet: asks, or waits for the node that does and takes what it learned, or its failure. Where that node
 * dies or gives up before it has sent, the next takes its place; where nobody can say how it stands, everybody asks. Whoever is more urgent
 * than a lookup that waits for its turn asks, too. Never rejects.
 */
export async function sharedFlight(lookup: SharedLookup, leases: Leases, clock: Clock): Promise<Answer> {
  const { name, asker, known } = lookup;
  let awaited: number | undefined;
  let wasSent = false;
  while (!asker.signal.aborted) {
    const standing = await take(leases, name, { urgency: askerKinds.indexOf(asker.kind), known, awaited });
    if (standing === undefined) return lookup.ask(asker);
    if (standing.state === 'landed') {
      return standing.failure === undefined ? ((await lookup.recall()) ?? lookup.ask(asker)) : readFailure(standing.failure);
    }
    if (standing.state === 'ours') return fly(lookup, standing.flight, leases, clock);
    // At first sight a flight may wait for its turn and not have said so; who cannot look a second time has to believe it.
    const isSent = standing.state === 'sent' && (awaited !== undefined || asker.sendBy < clock.now() + lookMs);
    if (isSent && !wasSent) asker.onSent?.(name, true);
    wasSent ||= isSent;
    if (awaited === undefined) asker.onJoined?.(name);
    awaited ??= standing.flight;
    await leases.untilNews(name, lookMs);
  }
  return unanswered(new Problem('registry_busy', 'The caller left before the question was sent.'));
}

async function take(leases: Leases, name: DomainName, claim: Parameters<Leases['take']>[1]): Promise<Standing | undefined> {
  try {
    return await leases.take(name, claim);
  } catch {
    // Whoever keeps the leases has said why; the registry can still be asked.
    return undefined;
  }
}

async function fly({ name, asker, ask }: SharedLookup, flight: number, leases: Leases, clock: Clock): Promise<Answer> {
  let sent = false;
  // A flight counts as sent until it says otherwise: most are at once.
  let noted: 'queued' | 'sent' = 'sent';
  let cancelTimer = clock.after(queuedAfterMs, () => (sent ? tellLater() : tell()));
  const note = (state: FlightState) => leases.note(name, flight, state);

  function tell(): void {
    noted = sent ? 'sent' : 'queued';
    note({ state: noted });
    tellLater();
  }

  function tellLater(): void {
    cancelTimer = clock.after(renewMs, tell);
  }

  function hearSent(): void {
    sent = true;
    if (noted === 'queued') note({ state: (noted = 'sent') });
  }

  const answer = await ask(withSent(asker, hearSent)).finally(() => cancelTimer());
  note(endOf(answer));
  return answer;
}

/** The same asker, who may grow more patient or more urgent meanwhile; `hear` is told too when it is sent. */
function withSent(asker: Asker, hear: () => void): Asker {
  return {
    signal: asker.signal,
    account: asker.account,
    get sendBy() {
      return asker.sendBy;
    },
    get kind() {
      return asker.kind;
    },
    onSent(name) {
      hear();
      asker.onSent?.(name);
    },
  };
}

function endOf(answer: Answer): FlightState {
  if (!answer.problem) return { state: 'landed', failure: undefined };
  return answer.sentAt === undefined ? { state: 'dropped' } : { state: 'landed', failure: writeFailure(answer, answer.problem) };
}

/** What the others are told of a lookup that failed. */
type Failure = Pick<Answer, 'endpoint' | 'evidence'> & {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly retryAfter?: number;
};

function writeFailure({ endpoint, evidence }: Answer, { code, message, retryAfter }: Problem): string {
  const failure: Failure = { code, detail: message, ...(retryAfter !== undefined && { retryAfter }), ...(endpoint && { endpoint }) };
  return JSON.stringify({ ...failure, ...(evidence && { evidence }) });
}

function readFailure(text: string): Answer {
  const { code, detail, retryAfter, ...rest } = JSON.parse(text) as Failure;
  return { ...unanswered(new Problem(code, detail, retryAfter === undefined ? {} : { retryAfter })), ...rest };
}
