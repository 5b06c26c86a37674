import { Writable } from 'node:stream';
import { pino } from 'pino';
import { problems } from '../../src/domain/problems.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import type { Random } from '../support/time/random.ts';

/** Returns the number of rounds: a share of `FUZZ_ROUNDS` if it is set, else the default. */
export function rounds(defaultRounds: number, share = 1): number {
  const configured = process.env['FUZZ_ROUNDS'];
  return configured === undefined ? defaultRounds : Math.ceil(Number(configured) * share);
}

/** The random seed of this run, shown in test titles. Set `FUZZ_SEED` to reproduce a run. */
export const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** Returns the options of fast-check, which reports failures with the seed. */
export function fastCheckOptions(numRuns: number): { numRuns: number; seed: number } {
  return { numRuns, seed };
}

export interface FuzzedGateway extends Gateway {
  /** Log lines of level error or fatal. */
  readonly errorLogs: readonly string[];
}

/** Starts a gateway without rate limits that collects its error logs. */
export async function startFuzzedGateway(
  options: Parameters<typeof startGateway>[0] = {},
): Promise<FuzzedGateway> {
  const errorLogs: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => (errorLogs.push(String(chunk)), done()),
  });
  const env = {
    RDAP_TIMEOUT_MS: '1000',
    RATE_LIMIT: '0',
    AUTH: 'open',
    RDAP_RATE: '0',
    ...options.env,
  };
  const gateway = await startGateway({ ...options, env, log: pino({ level: 'error' }, sink) });
  return { ...gateway, errorLogs };
}

const statuses = new Set<number>([
  200,
  204,
  304,
  ...Object.values(problems).map(({ status }) => status),
]);

/** Throws if a response has an undocumented status or 500, or leaks internal details. */
export function expectDocumentedResponse(status: number, text: string): void {
  if (!statuses.has(status) || status === 500)
    throw new Error(`status ${status}: ${text.slice(0, 500)}`);
  const leak = leaks.exec(text);
  if (leak) throw new Error(`it leaks ${JSON.stringify(leak[0])}: ${text.slice(0, 500)}`);
}

/** Matches stack traces, paths of the project and messages of parsers. */
const leaks =
  /\n\s+at |node:internal|file:\/\/|\/(?:src|node_modules)\/|Unexpected token|in JSON at position|" is not valid JSON|ValiError|TypeError|RangeError|SyntaxError/;

/** Mutates bytes by one to four insertions, replacements or deletions. */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let mutated = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0; times -= 1)
    mutated = mutateOnce(mutated, random);
  return new Uint8Array(mutated);
}

function mutateOnce(bytes: Buffer, random: Random): Buffer<ArrayBuffer> {
  const start = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, start + random.below(20));
  const [before, within, after] = [
    bytes.subarray(0, start),
    bytes.subarray(start, end),
    bytes.subarray(end),
  ];
  const inserted = random.pick([
    Buffer.from([random.below(256)]),
    Buffer.from(random.pick(oddStrings)),
    within,
    Buffer.from(within.toReversed()),
  ]);
  return random.pick([
    () => Buffer.concat([before, inserted, within, after]),
    () => Buffer.concat([before, inserted, after]),
    () => Buffer.concat([before, after]),
  ])();
}

const oddStrings = [
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
