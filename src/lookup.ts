import DataLoader from 'dataloader';
import type { Clock } from './clock.ts';
import { asKnown } from './as-known.ts';
import { askedAge, askedName, askedNames, partsOf, type Asked, type Search, type SingleName } from './domain/asked.ts';
import type { Directory } from './domain/directory.ts';
import { toUnicodeName, type DomainName } from './domain/domain-name.ts';
import type { Registration } from './domain/registration.ts';
import {
  askerKinds,
  type Answer,
  type Asker,
  type AskerKind,
  type Attempt,
  type Evidence,
  type Question,
  type Registry,
} from './domain/registry.ts';
import { isAvailable, type Verdict } from './domain/verdict.ts';
import { Problem } from './problems.ts';

export type DomainStatus = Verdict | 'UNSUPPORTED_TLD' | 'INVALID';

/** One name of an operation. Nothing is asked until somebody wants the outcome. */
export interface DomainRow {
  /** The A-label name; for an entry that is none, as it was typed. */
  readonly domain: string;
  readonly unicodeName: string;
  readonly name: string;
  readonly tld: string;
  /** The same promise however often it is asked. Never rejects. */
  readonly outcome: () => Promise<Outcome>;
}

export interface Outcome {
  readonly status: DomainStatus;
  readonly available: boolean | null;
  /** Why `available` is null. */
  readonly problem: Problem | null;
  readonly registration: Registration | null;
  /** Base URL of the registry that was asked; null when nobody was. */
  readonly endpoint: string | null;
  readonly checkedAt: number | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly latencyMs: number;
  /** What the verdict rests on, and the way to it; null when nobody was asked. */
  readonly evidence: { readonly seen: Evidence | null; readonly attempts: readonly Attempt[] } | null;
}

/** What one field of an operation will ask for, known before anything runs. */
export interface Wish {
  readonly names: readonly Asked[];
  readonly maxAge: number | undefined;
  /** The registration is wanted, not the verdict alone. */
  readonly record: boolean;
  readonly kind: AskerKind;
}

/** The work of one operation. */
export interface Lookup {
  /** One name; throws when it is none, or not one label under its suffix. */
  one(single: SingleName): DomainRow;
  /** A row each, in the order asked, equal ones folded; a bad entry of a list is an INVALID row. */
  many(search: Search): readonly DomainRow[];
  /** The same rows, each as soon as its outcome is known. */
  asKnown(search: Search): AsyncGenerator<DomainRow, void, void>;
}

export interface LookupOptions {
  readonly directory: Directory;
  readonly clock: Clock;
  /** Who asks; how urgent it is follows from the wishes. */
  readonly asker: Omit<Asker, 'kind'>;
}

/** One loader per registry, for one operation: a batch never mixes registries, and a name is asked once however many fields want it. */
export function createLookup(wishes: readonly Wish[], { directory, clock, asker }: LookupOptions): Lookup {
  const needs = needsByName(wishes);
  const kind = askerKinds.find((candidate) => wishes.some((wish) => wish.kind === candidate)) ?? 'single';
  const loaders = new Map<Registry, DataLoader<DomainName, Answer>>();
  const rows = new Map<string, DomainRow>();

  function loaderOf(registry: Registry): DataLoader<DomainName, Answer> {
    const known = loaders.get(registry);
    if (known) return known;
    const batch = (names: readonly DomainName[]) => {
      const questions = names.map((name) => ({ name, ...(needs.get(name) ?? { record: true }) }));
      // A key resolves with what stands at its place: promises here let every name settle by itself, none waits for its batch.
      return Promise.resolve(registry.ask(questions, { ...asker, kind }) as readonly unknown[] as readonly Answer[]);
    };
    const loader = new DataLoader<DomainName, Answer>(batch);
    loaders.set(registry, loader);
    return loader;
  }

  async function outcomeOf(name: DomainName, registry: Registry): Promise<Outcome> {
    const startedAt = clock.elapsed();
    const answer = await loaderOf(registry).load(name);
    return outcomeOfAnswer(answer, clock.elapsed() - startedAt);
  }

  function rowOf(asked: Asked): DomainRow {
    const known = rows.get(asked.domain);
    if (known) return known;
    const place = 'problem' in asked ? asked : directory.find(asked.domain);
    const outcome =
      'problem' in place ? () => Promise.resolve(notAsked(place.problem)) : () => outcomeOf(asked.domain as DomainName, place.registry);
    const row = createRow(asked.domain, once(outcome));
    rows.set(asked.domain, row);
    return row;
  }

  function many(search: Search): readonly DomainRow[] {
    askedAge(search.maxAge);
    return askedNames(search).map(rowOf);
  }

  return {
    one(single) {
      askedAge(single.maxAge);
      const domain = askedName(single);
      const place = directory.find(domain);
      if ('problem' in place && place.problem.code === 'invalid_name') {
        throw new Problem('invalid_name', place.problem.message, { param: 'name' });
      }
      return rowOf({ domain });
    },
    many,
    asKnown: (search) => asKnown(many(search), (row) => row.outcome()),
  };
}

type Need = Omit<Question, 'name'>;

/** Of all that is asked for a name the strictest holds: the smallest `maxAge`, and the record if anybody wants it. */
function needsByName(wishes: readonly Wish[]): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  for (const { names, maxAge, record } of wishes) {
    for (const { domain } of names) needs.set(domain, strictest(needs.get(domain), maxAge, record));
  }
  return needs;
}

function strictest(other: Need | undefined, maxAge: number | undefined, record: boolean): Need {
  const ages = [maxAge, other?.maxAge].filter((age) => age !== undefined);
  return {
    maxAge: ages.length > 0 ? Math.min(...ages) : undefined,
    freshByDefault: maxAge === undefined || other?.freshByDefault === true,
    record: record || other?.record === true,
  };
}

function createRow(domain: string, outcome: () => Promise<Outcome>): DomainRow {
  const { label, suffix } = partsOf(domain);
  return { domain, unicodeName: toUnicodeName(domain), name: label, tld: suffix, outcome };
}

function outcomeOfAnswer(answer: Answer, latencyMs: number): Outcome {
  const { verdict, registration, problem, endpoint, checkedAt, cached, stale, evidence, attempts } = answer;
  return {
    status: verdict,
    available: isAvailable(verdict),
    problem: problem ?? null,
    registration: registration ?? null,
    endpoint: endpoint ?? null,
    checkedAt: checkedAt ?? null,
    cached,
    stale,
    latencyMs: Math.round(latencyMs * 100) / 100,
    evidence: { seen: evidence ?? null, attempts: attempts ?? [] },
  };
}

function notAsked(problem: Problem): Outcome {
  const status = problem.code === 'unsupported_tld' ? 'UNSUPPORTED_TLD' : 'INVALID';
  return {
    status,
    available: null,
    problem,
    registration: null,
    endpoint: null,
    checkedAt: null,
    cached: false,
    stale: false,
    latencyMs: 0,
    evidence: null,
  };
}

function once<T>(run: () => T): () => T {
  let result: { value: T } | undefined;
  return () => (result ??= { value: run() }).value;
}
