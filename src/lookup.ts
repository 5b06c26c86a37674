import DataLoader from 'dataloader';
import type { Clock } from './clock.ts';
import type { Progress } from './accounts/credits.ts';
import { asKnown } from './as-known.ts';
import { askedAge, askedName, askedNames, partsOf, type Asked, type Search, type SingleName } from './domain/asked.ts';
import type { Directory } from './domain/directory.ts';
import { toUnicodeName, type DomainName } from './domain/domain-name.ts';
import { askerKinds, type Answer, type Asker, type Question, type Registry } from './domain/registry.ts';
import { notAsked, outcomeOfAnswer, type Outcome } from './outcome.ts';
import { Problem } from './problems.ts';
import { needsByName, type Wish } from './wish.ts';

/** One name of an operation. Nothing is asked until somebody wants the outcome. */
export interface DomainRow {
  /** The A-label name; for an entry that is none, as it was typed. */
  readonly domain: string;
  readonly unicodeName: string;
  readonly name: string;
  readonly tld: string;
  /** Plain when it is known already, so that no field waits for what is there; the same however often it is asked. Never rejects. */
  readonly outcome: () => Outcome | Promise<Outcome>;
}

/** The work of one operation. */
export interface Lookup {
  /** Takes over what is remembered of all that is wished for. True when nobody needs to be asked. Never rejects. */
  recall(): Promise<boolean>;
  readonly progress: Progress;
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
  const remembered = new Map<DomainName, Answer>();
  const answered = new Set<DomainName>();
  const sent = new Set<DomainName>();
  const wholeAsker: Asker = { ...asker, kind, onSent: (name) => void sent.add(name) };

  const questionOf = (name: DomainName): Question => ({ name, ...(needs.get(name) ?? { record: true }) });

  function loaderOf(registry: Registry): DataLoader<DomainName, Answer> {
    const known = loaders.get(registry);
    if (known) return known;
    const batch = (names: readonly DomainName[]) => {
      // A key resolves with what stands at its place: promises here let every name settle by itself, none waits for its batch.
      return Promise.resolve(registry.ask(names.map(questionOf), wholeAsker) as readonly unknown[] as readonly Answer[]);
    };
    const loader = new DataLoader<DomainName, Answer>(batch);
    loaders.set(registry, loader);
    return loader;
  }

  function outcomeOf(name: DomainName, registry: Registry): Outcome | Promise<Outcome> {
    const startedAt = clock.elapsed();
    const finish = (answer: Answer) => {
      if (answer.verdict !== 'UNKNOWN') answered.add(name);
      return outcomeOfAnswer(answer, clock.elapsed() - startedAt);
    };
    const known = remembered.get(name);
    return known ? finish(known) : loaderOf(registry).load(name).then(finish);
  }

  async function recall(): Promise<boolean> {
    const wanted = new Map<Registry, Question[]>();
    for (const name of needs.keys()) {
      const place = directory.find(name);
      if ('registry' in place) wanted.set(place.registry, [...(wanted.get(place.registry) ?? []), questionOf(name)]);
    }
    const found = await Promise.all(
      Array.from(wanted, async ([registry, questions]) => {
        const answers = (await registry.recall?.(questions)) ?? new Map<DomainName, Answer>();
        for (const [name, answer] of answers) remembered.set(name, answer);
        return answers.size === questions.length;
      }),
    );
    return found.every(Boolean);
  }

  function rowOf(asked: Asked): DomainRow {
    const known = rows.get(asked.domain);
    if (known) return known;
    const place = 'problem' in asked ? asked : directory.find(asked.domain);
    const outcome = 'problem' in place ? () => notAsked(place.problem) : () => outcomeOf(asked.domain as DomainName, place.registry);
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
    asKnown: (search) => asKnown(many(search), async (row) => row.outcome()),
    recall,
    progress: { answered, sent },
  };
}

function createRow(domain: string, outcome: DomainRow['outcome']): DomainRow {
  const { label, suffix } = partsOf(domain);
  return { domain, unicodeName: toUnicodeName(domain), name: label, tld: suffix, outcome };
}

function once<T>(run: () => T): () => T {
  let result: { value: T } | undefined;
  return () => (result ??= { value: run() }).value;
}
