import { join } from 'node:path';
import { bootstrapOf, type BootstrapDocument } from '../support/fake-bootstrap.ts';
import { startPart } from './part.ts';

/** Registry servers on loopback ports, in a process of their own, each of which answers after the same time. */
export interface Registries extends AsyncDisposable {
  readonly bootstrapUrl: string;
  /** By TLD. */
  readonly baseUrls: ReadonlyMap<string, string>;
  /** Requests since this was last asked. */
  count(): Promise<Counts>;
}

export interface Counts {
  readonly names: number;
  /** Requests for the list of registries. */
  readonly lists: number;
}

/** Which server serves each TLD. */
export type Plan = readonly (readonly [tld: string, server: number])[];

export interface RegistriesOptions {
  readonly plan: Plan;
  readonly latencyMs: number;
  /** The last two servers are such as there are: one answers everything with HTML and a 404, one says "not found" with a 200. */
  readonly odd?: boolean;
  /** Objects as large as those of a gTLD, in place of small ones. */
  readonly large?: boolean;
}

/** What goes to the process. */
export type RegistriesOrder = { readonly publish: BootstrapDocument } | 'count';

export interface RegistriesReady {
  readonly listUrl: string;
  readonly baseUrls: readonly string[];
}

export async function startRegistries({
  plan,
  latencyMs,
  odd = false,
  large = false,
}: RegistriesOptions): Promise<Registries> {
  const servers = new Set(plan.map(([, server]) => server)).size;
  const settings = JSON.stringify({ servers, latencyMs, odd, large });
  const part = await startPart<RegistriesReady>(
    join(import.meta.dirname, 'registries-process.ts'),
    settings,
  );
  const baseUrls = new Map(plan.map(([tld, server]) => [tld, part.ready.baseUrls[server] ?? '']));
  await part.ask({ publish: bootstrapOf(Object.fromEntries(baseUrls)) } satisfies RegistriesOrder);
  return {
    bootstrapUrl: part.ready.listUrl,
    baseUrls,
    count: () => part.ask('count' satisfies RegistriesOrder),
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  };
}

/** So many TLDs spread evenly over the servers. Letters alone: some clients take no others. */
export function evenPlan(tlds: number, servers: number): Plan {
  return Array.from({ length: tlds }, (_, index) => [
    `bench${letter(Math.floor(index / 26))}${letter(index)}`,
    index % servers,
  ]);
}

function letter(index: number): string {
  return String.fromCharCode(97 + (index % 26));
}

/** Whether somebody holds a name in these registries: about half of all names, every `held…`, and what every registry holds. */
export function isTaken(name: string): boolean {
  if (/^(?:nic\.|held)/.test(name)) return true;
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 65_537;
  return sum % 2 === 0;
}
