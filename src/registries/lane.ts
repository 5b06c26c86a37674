import type { Clock } from '../clock.ts';
import { askerKinds, type Asker } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import { tokenBucket } from './token-bucket.ts';

export interface LaneLimits {
  /** Requests a second in the long run; 0 = as many as there are. */
  readonly rate: number;
  /** Requests at once after a pause. */
  readonly burst: number;
  /** Requests in flight. */
  readonly concurrency: number;
}

/** Leave to send one request. */
export interface Turn {
  /** To be called once, when the answer is there. `retryAfter` (seconds) closes the lane for everybody. */
  end(retryAfter: number | undefined): void;
}

/** The queue in front of one registry host, shared by everybody who asks that host. */
export interface Lane {
  /** Settles when it is the asker's turn, or with `registry_busy`: at once when its turn cannot come in time. Never rejects. */
  enter(asker: Asker): Promise<Turn | Problem>;
}

interface Waiter {
  readonly asker: Asker;
  settle(turn: Turn | Problem): void;
}

export function createLane(host: string, limits: LaneLimits, clock: Clock): Lane {
  const bucket = tokenBucket(limits, clock);
  const waiting = new Set<Waiter>();
  const lastTurns = new Map<string, number>();
  let turns = 0;
  let inFlight = 0;
  let opensAt = 0;
  let cancelTimer = () => {};

  return {
    enter(asker) {
      if (asker.signal.aborted) return Promise.resolve(busy(0));
      const readyAt = Math.max(opensAt, bucket.readyAt(ahead(waiting, asker) + 1));
      if (readyAt > asker.sendBy) return Promise.resolve(busy(readyAt));
      return new Promise((resolve) => {
        const leave = () => settle(busy(0));
        const settle = (turn: Turn | Problem) => {
          waiting.delete(waiter);
          asker.signal.removeEventListener('abort', leave);
          resolve(turn);
        };
        const waiter = { asker, settle };
        waiting.add(waiter);
        asker.signal.addEventListener('abort', leave, { once: true });
        advance();
      });
    },
  };

  function advance(): void {
    refuseLate();
    while (inFlight < limits.concurrency && clock.now() >= opensAt && waiting.size > 0 && bucket.take()) {
      const next = nextInTurn(waiting, lastTurns);
      lastTurns.set(next.asker.account, ++turns);
      inFlight += 1;
      next.settle({ end });
    }
    if (waiting.size === 0) lastTurns.clear();
    wakeLater();
  }

  function end(retryAfter: number | undefined): void {
    inFlight -= 1;
    if (retryAfter !== undefined) opensAt = Math.max(opensAt, clock.now() + retryAfter * 1000);
    advance();
  }

  function refuseLate(): void {
    const earliest = Math.max(opensAt, clock.now());
    for (const waiter of waiting) if (waiter.asker.sendBy < earliest) waiter.settle(busy(earliest));
  }

  function wakeLater(): void {
    cancelTimer();
    if (waiting.size === 0) return;
    const lastMoment = Math.min(...Array.from(waiting, ({ asker }) => asker.sendBy)) + 1;
    const nextTurn = inFlight < limits.concurrency ? Math.max(opensAt, bucket.readyAt(1)) : Infinity;
    cancelTimer = clock.after(Math.max(Math.min(lastMoment, nextTurn) - clock.now(), 0), advance);
  }

  function busy(readyAt: number): Problem {
    const retryAfter = Math.max(1, Math.ceil((readyAt - clock.now()) / 1000));
    return new Problem('registry_busy', `Too many questions wait for ${host}; ask again in ${retryAfter} s.`, { retryAfter });
  }
}

const urgency = (asker: Asker) => askerKinds.indexOf(asker.kind);

/** How many go first: the more urgent ones all, of the equally urgent ones those whose account's turn comes before. */
function ahead(waiting: Iterable<Waiter>, asker: Asker): number {
  let urgent = 0;
  const equals = new Map<string, number>();
  for (const { asker: other } of waiting) {
    if (urgency(other) < urgency(asker)) urgent += 1;
    else if (other.kind === asker.kind) equals.set(other.account, (equals.get(other.account) ?? 0) + 1);
  }
  const own = equals.get(asker.account) ?? 0;
  equals.delete(asker.account);
  // Accounts take turns: before one's (own + 1)th, every other account has had at most own + 1.
  return Array.from(equals.values()).reduce((sum, count) => sum + Math.min(count, own + 1), urgent + own);
}

function nextInTurn(waiting: ReadonlySet<Waiter>, lastTurns: ReadonlyMap<string, number>): Waiter {
  const rank = ({ asker }: Waiter) => [urgency(asker), lastTurns.get(asker.account) ?? 0] as const;
  return Array.from(waiting).reduce((best, waiter) => {
    const [bestUrgency, bestTurn] = rank(best);
    const [itsUrgency, itsTurn] = rank(waiter);
    return itsUrgency < bestUrgency || (itsUrgency === bestUrgency && itsTurn < bestTurn) ? waiter : best;
  });
}
