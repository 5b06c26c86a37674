import type { Clock } from '../clock.ts';
import type { LaneHealth } from '../domain/catalogue.ts';
import type { Failure, Outcome } from '../domain/registry.ts';
import { Problem } from '../problems.ts';
import type { Lane, Turn } from './lane.ts';
import type { Lanes } from './lanes.ts';

/** Told what became of questions to registry hosts. */
export interface ExchangeWatch {
  /** It could not be sent in time, the host does not respond, or too many lookups of the account failed. */
  unsent(host: string): void;
  ended(host: string, outcome: ExchangeOutcome, ms: number): void;
}

/** `unusable`: an answer that proves nothing, or a refusal. */
export type ExchangeOutcome = 'answered' | 'unusable' | Failure;

export interface WatchedLanes {
  /** The lane of a registry, under its host's name. */
  registry(baseUrl: string): Lane;
  /** The lane of a registrar: there are thousands, so all have one name. */
  registrar(url: string): Lane;
  /** The lane of whomever a redirect leads to. That may be anybody: hosts that are no registries', so far, have one name. */
  redirected(url: string): Lane;
  /** Of every registry host that was asked by now. */
  health(): Iterable<readonly [host: string, health: LaneHealth]>;
}

/** The same lanes, watched. */
export function watchedLanes(lanes: Lanes, clock: Clock, watch: ExchangeWatch): WatchedLanes {
  const asked = new Map<string, Lane>();

  function watched(lane: Lane, host: string, onAsked: () => void): Lane {
    return {
      ...lane,
      enter(name, asker) {
        onAsked();
        const entered = lane.enter(name, asker);
        return entered instanceof Promise ? entered.then((turn) => begun(turn, host)) : begun(entered, host);
      },
    };
  }

  function begun(turn: Turn | Problem, host: string): Turn | Problem {
    if (turn instanceof Problem) {
      watch.unsent(host);
      return turn;
    }
    const sentAt = clock.elapsed();
    let tookMs: number | undefined;
    return {
      answered() {
        tookMs = clock.elapsed() - sentAt;
        return turn.answered();
      },
      end(outcome) {
        turn.end(outcome);
        watch.ended(host, outcomeOf(outcome), tookMs ?? clock.elapsed() - sentAt);
      },
    };
  }

  function registry(baseUrl: string): Lane {
    const { host } = new URL(baseUrl);
    const lane = lanes.registry(baseUrl);
    return watched(lane, host, () => void asked.set(host, lane));
  }

  return {
    registry,
    registrar: (url) => watched(lanes.stranger(url), 'registrars', () => {}),
    redirected: (url) => (asked.has(new URL(url).host) ? registry(url) : watched(lanes.stranger(url), 'redirected', () => {})),
    *health() {
      for (const [host, lane] of asked) yield [host, lane.health()] as const;
    },
  };
}

function outcomeOf({ failure, problem }: Outcome): ExchangeOutcome {
  return failure ?? (problem ? 'unusable' : 'answered');
}
