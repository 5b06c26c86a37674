import type { Socket } from 'node:net';
import { dasReplies } from '../support/bodies/das-replies.ts';
import { startFakeDas } from '../support/servers/fake-das-server.ts';
import type { Random } from '../support/time/random.ts';
import { Losses } from './oracle/losses.ts';
import { truthOf, type Truth } from './truthful-registry.ts';

/** The availability services of .ch and .lt, on one port. */
export interface TruthfulDas extends AsyncDisposable {
  /** The server in the form of `SOURCES_FILE`. */
  readonly server: string;
  readonly queryCount: number;
  /** The states that the services had. */
  readonly states: ReadonlySet<DasState>;
  readonly losses: Losses;
  /** Begins a round at a time (epoch ms): a service begins or ceases to fail. */
  nextRound(at: number): void;
}

type DasState = 'normal' | 'all available' | 'all registered' | 'down';

export interface DasOptions {
  /** The probability of a fault per query. */
  readonly faults: () => number;
  /** The probability per round that a service begins to fail. */
  readonly outages: number;
  readonly random: Random;
}

/** Starts services that fail in detectable ways, and otherwise return the expected verdict. */
export async function startTruthfulDas({
  faults,
  outages,
  random,
}: DasOptions): Promise<TruthfulDas> {
  const current = new Map<string, DasState>([
    ['ch', 'normal'],
    ['lt', 'normal'],
  ]);
  const states = new Set<DasState>();
  const losses = new Losses();
  const server = await startFakeDas((query, socket) => {
    const name = query.replace('get 1.0 ', '');
    const tld = name.slice(name.lastIndexOf('.') + 1);
    const state = current.get(tld);
    if (state === 'down') return '';
    if (random.chance(faults())) return faultyReply(name, socket, random);
    return replyFor(name, truthIn(state, name));
  });
  return {
    server: `${server.host}:${server.port}`,
    states,
    get queryCount() {
      return server.queries.length;
    },
    losses,
    nextRound(at) {
      for (const [tld, state] of current) {
        if (!random.chance(state === 'normal' ? outages : 0.1)) continue;
        const failing = random.pick(['all available', 'all registered', 'down'] as const);
        const next = state === 'normal' ? failing : 'normal';
        current.set(tld, next);
        states.add(next);
      }
      for (const [tld, state] of current) losses.record(tld, at, state === 'all available');
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function truthIn(state: DasState | undefined, name: string): Truth {
  if (state === 'all available') return 'available';
  if (state === 'all registered') return 'registered';
  // Control names are random, and must be available.
  return /^[a-z]{24}\./.test(name) ? 'available' : truthOf(name);
}

const words = {
  available: 'available',
  registered: 'registered',
  reserved: 'reserved',
  redemption: 'pendingDelete',
  pending_delete: 'pendingRelease',
} as const;

function replyFor(name: string, truth: Truth): string {
  return name.endsWith('.ch')
    ? dasReplies.ch(truth === 'available' ? '1' : '0')
    : dasReplies.lt(name, words[truth]);
}

/** Returns a detectable fault. */
function faultyReply(name: string, socket: Socket, random: Random): string | undefined {
  const other = `other${random.below(1000)}${name.slice(name.lastIndexOf('.'))}`;
  return random.pick<() => string | undefined>([
    () => '',
    () => dasReplies.lt(name, 'available').slice(0, random.below(50)),
    () => dasReplies.lt(other, 'available'),
    () => dasReplies.lt(name, 'unavailable'),
    () => dasReplies.ch('-99'),
    () => dasReplies.ch('2'),
    () => void socket.resetAndDestroy(),
  ])();
}
