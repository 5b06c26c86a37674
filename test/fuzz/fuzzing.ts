import { Writable } from 'node:stream';
import { pino } from 'pino';
import { problems } from '../../src/domain/problems.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import type { Random } from '../support/random.ts';

/** So many rounds, or a share of what `FUZZ_ROUNDS` says. */
export function rounds(standard: number, share = 1): number {
  const wanted = process.env['FUZZ_ROUNDS'];
  return wanted === undefined ? standard : Math.ceil(Number(wanted) * share);
}

/** The seed of all that is random in a run, for its title: `FUZZ_SEED` runs it again. */
export const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** What fast-check wants to know; what fails is told with its seed. */
export function fuzzing(numRuns: number): { numRuns: number; seed: number } {
  return { numRuns, seed };
}

export interface FuzzedGateway extends Gateway {
  /** What it logged as an error, or worse. */
  readonly failures: readonly string[];
}

/** A gateway that tells what it would have logged as its own failure. */
export async function startFuzzedGateway(
  options: Parameters<typeof startGateway>[0] = {},
): Promise<FuzzedGateway> {
  const failures: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => (failures.push(String(chunk)), done()),
  });
  const env = {
    RDAP_TIMEOUT_MS: '1000',
    RATE_LIMIT: '0',
    AUTH: 'open',
    RDAP_RATE: '0',
    ...options.env,
  };
  const gateway = await startGateway({ ...options, env, log: pino({ level: 'error' }, sink) });
  return { ...gateway, failures };
}

const statuses = new Set<number>([
  200,
  204,
  304,
  ...Object.values(problems).map(({ status }) => status),
]);

/** Throws unless an answer is one that the contract knows, and shows nothing of the inside. */
export function expectDocumentedResponse(status: number, text: string): void {
  if (!statuses.has(status) || status === 500)
    throw new Error(`status ${status}: ${text.slice(0, 500)}`);
  const leak = leaks.exec(text);
  if (leak) throw new Error(`it shows ${JSON.stringify(leak[0])}: ${text.slice(0, 500)}`);
}

/** A stack, a path of ours, or the words of a parser. */
const leaks =
  /\n\s+at |node:internal|file:\/\/|\/(?:src|node_modules)\/|Unexpected token|in JSON at position|is not valid JSON|ValiError|TypeError|RangeError|SyntaxError/;

/** Changes some bytes of a text: flips, cuts, doublings, insertions. */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let mutated = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times -= 1)
    mutated = mutateOnce(mutated, random);
  return new Uint8Array(mutated);
}

function mutateOnce(bytes: Buffer, random: Random): Buffer<ArrayBuffer> {
  const at = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.below(20));
  const [before, within, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, to),
    bytes.subarray(to),
  ];
  const inserted = random.pick([
    Buffer.from([random.below(256)]),
    Buffer.from(random.pick(oddities)),
    within,
    Buffer.from(within.toReversed()),
  ]);
  return random.pick([
    () => Buffer.concat([before, inserted, within, after]),
    () => Buffer.concat([before, inserted, after]),
    () => Buffer.concat([before, after]),
  ])();
}

const oddities = [
  '\0',
  '\r\n',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\u202e',
  '\ufeff',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '-',
  '1e999',
  '__proto__',
  'null',
  'é',
  '\u{10ffff}',
  '$',
  '@',
  '#',
  '...',
] as const satisfies [string, ...string[]];
