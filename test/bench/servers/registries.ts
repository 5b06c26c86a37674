import { join } from 'node:path';
import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { bootstrapOf, type BootstrapDocument } from '../../support/servers/fake-bootstrap.ts';
import { startChildProcess } from '../part.ts';

/** Registry servers on loopback ports in a separate process, with a fixed latency. */
export interface Registries extends AsyncDisposable {
  readonly bootstrapUrl: string;
  /** Base URLs by TLD. */
  readonly baseUrls: ReadonlyMap<string, string>;
  /** Returns the requests since the last call. */
  count(): Promise<Counts>;
}

/** Numbers of requests. */
export interface Counts {
  readonly names: number;
  /** Requests for the bootstrap document. */
  readonly lists: number;
}

/** The server of each TLD. */
export type Plan = readonly (readonly [tld: string, server: number])[];

export interface RegistriesOptions {
  readonly plan: Plan;
  readonly latencyMs: number;
  /**
   * The last two servers are misleading, as some real ones are: one returns HTML with a 404 for
   * everything, the other "not found" with a 200.
   */
  readonly misleading?: boolean;
  /** Returns objects as large as those of a gTLD instead of small ones. */
  readonly large?: boolean;
}

/** A message to the process. */
export type RegistriesMessage = { readonly publish: BootstrapDocument } | 'count';

/** The first message of the process. */
export interface RegistriesReady {
  readonly listUrl: string;
  readonly baseUrls: readonly string[];
}

/** Starts the servers. */
export async function startRegistries({
  plan,
  latencyMs,
  misleading = false,
  large = false,
}: RegistriesOptions): Promise<Registries> {
  const servers = new Set(plan.map(([, server]) => server)).size;
  const settings = JSON.stringify({ servers, latencyMs, misleading, large });
  const childProcess = await startChildProcess<RegistriesReady>(
    join(import.meta.dirname, 'registries-process.ts'),
    settings,
  );
  const baseUrls = new Map(
    plan.map(([tld, server]) => [tld, childProcess.ready.baseUrls[server] ?? '']),
  );
  await childProcess.request({
    publish: bootstrapOf(Object.fromEntries(baseUrls)),
  } satisfies RegistriesMessage);
  return {
    bootstrapUrl: childProcess.ready.listUrl,
    baseUrls,
    count: () => childProcess.request('count' satisfies RegistriesMessage),
    [Symbol.asyncDispose]: () => childProcess[Symbol.asyncDispose](),
  };
}

/**
 * Returns a plan of TLDs spread evenly over the servers. They contain only letters, as some clients
 * accept no others.
 */
export function evenPlan(tlds: number, servers: number): Plan {
  return Array.from({ length: tlds }, (_, index) => [
    `bench${letter(Math.floor(index / 26))}${letter(index)}`,
    index % servers,
  ]);
}

/** Returns about this many TLDs of IANA's document with the same distribution over servers. */
export function ianaPlan(tlds: number): Plan {
  const services = Array.from(readBootstrap(table));
  const step = Math.round(services.length / tlds);
  const chosen = services.filter((_, index) => index % step === 0);
  const hosts = [...new Set(chosen.map(([, { baseUrls }]) => new URL(baseUrls[0]).host))];
  return chosen.map(([tld, { baseUrls }]) => [tld, hosts.indexOf(new URL(baseUrls[0]).host)]);
}

function letter(index: number): string {
  return String.fromCharCode(97 + (index % 26));
}

/**
 * Returns whether a name is registered: about half of all names, 60 % of `mostly…`, every `held…`,
 * and the canaries.
 */
export function isTaken(name: string): boolean {
  if (/^(?:nic\.|held)/.test(name)) return true;
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 65_537;
  return name.startsWith('mostly') ? sum % 10 < 6 : sum % 2 === 0;
}
