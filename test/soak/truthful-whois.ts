import type { Socket } from 'node:net';
import { registeredNames } from '../../src/registries/proof/canary-names.ts';
import { startFakeDas } from '../support/servers/fake-das-server.ts';
import type { Random } from '../support/time/random.ts';
import { Losses } from './oracle/losses.ts';
import { truthOf, type Truth } from './truthful-registry.ts';

/** The WHOIS servers of .it and .ru, on one port. */
export interface TruthfulWhois extends AsyncDisposable {
  /** The server in the form of `SOURCES_FILE`. */
  readonly server: string;
  readonly queryCount: number;
  /** The states that the servers had. */
  readonly states: ReadonlySet<WhoisState>;
  readonly losses: Losses;
  /** Begins a round at a time (epoch ms): a server changes its texts, or begins or ceases to fail. */
  nextRound(at: number): void;
}

/**
 * `all not found`: the text for unregistered names is sent for every name. `renamed fields`: so it
 * is, in the terms, while the fields of registrations have other names. `in the terms`: it is in the
 * terms of all replies. `beside a refusal`: it is sent for every name but those of the controls, beside
 * a text that no list of refusals has. `new text`: it has changed. `refusing`: every query is refused, in a reply
 * that contains it.
 */
type WhoisState =
  | 'normal'
  | 'all not found'
  | 'renamed fields'
  | 'in the terms'
  | 'beside a refusal'
  | 'new text'
  | 'refusing'
  | 'down';
/** Refusals and outages are rarer, because they stop all queries for some time. */
const wrongTexts = [
  'all not found',
  'renamed fields',
  'in the terms',
  'beside a refusal',
  'new text',
] as const;
const failing = [...wrongTexts, ...wrongTexts, ...wrongTexts, 'refusing', 'down'] as const;

export interface WhoisOptions {
  /** The probability of a fault per query. */
  readonly faults: () => number;
  /** The probability per round that a server begins to fail. */
  readonly outages: number;
  readonly random: Random;
}

/** Starts servers that fail in detectable ways, and otherwise return the expected verdict. */
export async function startTruthfulWhois({
  faults,
  outages,
  random,
}: WhoisOptions): Promise<TruthfulWhois> {
  const current = new Map<string, WhoisState>([
    ['it', 'normal'],
    ['ru', 'normal'],
  ]);
  const states = new Set<WhoisState>();
  const losses = new Losses();
  const server = await startFakeDas((name, socket) => {
    const state = current.get(tldOf(name)) ?? 'normal';
    if (state === 'down') return '';
    if (random.chance(faults())) return faultyReply(name, socket, random);
    return replyIn(state, name);
  });
  const set = (tld: string, state: WhoisState) => {
    current.set(tld, state);
    states.add(state);
  };
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
        const next = state === 'normal' ? random.pick(failing) : 'normal';
        // Half of all changes concern both TLDs.
        for (const each of random.chance(0.5) ? current.keys() : [tld]) set(each, next);
      }
      for (const [tld, state] of current) losses.record(tld, at, state === 'all not found');
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function replyIn(state: WhoisState, name: string): string {
  const { notFound, registered } = formats[tldOf(name)] ?? formats.ru;
  // Control names are random, and must be available.
  const isRandom = /^[a-z]{24}\./.test(name);
  const truth = isRandom ? 'available' : truthOf(name);
  const reply = truth === 'available' ? notFound(name) : registered(name, truth);
  if (state === 'all not found') return notFound(name);
  if (state === 'beside a refusal' && !isRandom && !isSample(name))
    return `Please come back later.\n${notFound(name)}`;
  if (state === 'in the terms') return `${reply}${notFound(name)}`;
  if (state === 'new text') return truth === 'available' ? `${name} is free.\n` : reply;
  if (state === 'refusing') return `% Quota exceeded\n${notFound(name)}`;
  return state === 'renamed fields' && truth !== 'available'
    ? `${reply.replaceAll(/^/gm, 'new ')}${notFound(name)}`
    : reply;
}

type RegisteredTruth = Exclude<Truth, 'available'>;
interface Format {
  readonly notFound: (name: string) => string;
  readonly registered: (name: string, truth: RegisteredTruth) => string;
}

const statuses = {
  registered: 'ok',
  reserved: 'RESERVED',
  redemption: 'pendingDelete / redemptionPeriod',
  pending_delete: 'pendingDelete / pendingDelete',
} as const satisfies Record<RegisteredTruth, string>;

/** The documented formats of the servers. */
const formats: Readonly<Record<string, Format>> & { readonly ru: Format } = {
  it: {
    notFound: (name) => `Domain:             ${name}\nStatus:             AVAILABLE\n`,
    registered: (name, truth) =>
      `\nDomain:             ${name}\nStatus:             ${statuses[truth]}\nCreated:            2001-01-01 00:00:00\n`,
  },
  ru: {
    notFound: () => 'No entries found for the selected source(s).\n\nLast updated on 2026-11-23\n',
    // The server has no other states.
    registered: (name) =>
      `domain:        ${name.toUpperCase()}\nstate:         REGISTERED, DELEGATED, VERIFIED\n`,
  },
};

/** Returns a detectable fault. */
function faultyReply(name: string, socket: Socket, random: Random): string | undefined {
  const { notFound, registered } = formats[tldOf(name)] ?? formats.ru;
  const other = `other${random.below(1000)}.${tldOf(name)}`;
  // The server is not queried for some time after these.
  if (random.chance(0.001))
    return random.pick<() => string | undefined>([
      () => `% Too many requests\n${notFound(name)}`,
      () => 'You have exceeded the limit.\n',
      () => '',
      () => void socket.resetAndDestroy(),
      () => void socket.write(notFound(name), () => setImmediate(() => socket.resetAndDestroy())),
    ])();
  return random.pick([
    registered(name, 'registered').slice(0, random.below(25)),
    notFound(name).slice(0, random.below(20)),
    registered(other, 'registered'),
    `${registered(name, 'registered')}${notFound(name)}`,
    `${registered(other, 'registered')}${notFound(name)}`,
    `${refusal(random)}\n${notFound(name)}`,
    `${notFound(name)}${refusal(random)}\n`,
    notFound(name).replaceAll(/^/gm, '% '),
    `<html>${notFound(name).trim()}</html>`,
    `refer: whois.example\n`,
    notFound(name).padEnd(64 * 1024 + 1, '\n'),
  ]);
}

/** Returns a text that a control does not have by chance: numbers in it would not count. */
function refusal(random: Random): string {
  const letters = Array.from({ length: 8 }, () => random.pick(['a', 'b', 'c', 'd']));
  return `Refused for reason ${letters.join('')}.`;
}

/** Returns whether a name is one of those that controls look up. */
function isSample(name: string): boolean {
  return registeredNames(tldOf(name)).some((sample) => sample === name);
}

function tldOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
