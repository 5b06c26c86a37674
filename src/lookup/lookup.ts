import DataLoader from 'dataloader';
import type { Clock } from '../clock.ts';
import { asKnown } from './as-known.ts';
import { withinBudget } from './budget.ts';
import { askedAge, askedBudget, askedName, askedNames, type Asked, type Search, type SingleName } from '../domain/asked.ts';
import type { Directory } from '../domain/directory.ts';
import type { Registration } from '../domain/registration.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import type { DomainName } from '../domain/domain-name.ts';
import { invalidRowId, readDomainId } from '../domain/node-id.ts';
import { askerKinds, type Answer, type Asker, type Question, type Recall, type Registry } from '../domain/registry.ts';
import { notAsked, outcomeOfAnswer, pending, type Outcome } from './outcome.ts';
import { paced } from './pace.ts';
import { once } from '../once.ts';
import { Problem } from '../problems.ts';
import type { Progress } from './progress.ts';
import { createRow, type DomainRow } from './row.ts';
import { addTimings, type Timings } from './timings.ts';
import { needsByName, type Wish } from './wish.ts';

/** The work of one operation. */
export interface Lookup {
  /** Takes over what is remembered of all that is wished for. True when nobody needs to be asked. Never rejects. */
  recall(): Promise<boolean>;
  /** Answers the only name that is wished for from memory, and gives what it is remembered as: while it is the same object, nothing else was learned. */
  answerFromMemory(): object | undefined;
  readonly progress: Progress;
  readonly timings: Timings;
  /** The outcomes by now, one for each name; one more for each row that is PENDING. */
  readonly outcomes: readonly Outcome[];
  /** One name; throws when it is none, or not one label under its suffix. */
  one(single: SingleName): DomainRow;
  /** A row each, in the order asked, equal ones folded; a bad entry of a list is an INVALID row. */
  many(search: Search): readonly DomainRow[];
  /** Returns the row that has a global id, looked up like `one`; null where no row has it. */
  rowWithId(id: string): DomainRow | null;
  /** The same rows, each as soon as its outcome is known. */
  asKnown(search: Search): AsyncGenerator<DomainRow, void, void>;
  /** Looks up the registrar's own record of a registered name. A lookup that fails is a problem, not a rejection. */
  registrarRecord(row: DomainRow): Promise<RegistrarRecord>;
}

/** What the registrar has on a name: at most one of its record and the problem of its lookup. */
export interface RegistrarRecord {
  readonly registration: Registration | null;
  readonly problem: Problem | null;
}

export interface LookupOptions {
  readonly directory: Directory;
  readonly registrars: RegistrarRecords;
  readonly clock: Clock;
  /** Told of each name's outcome, once an operation. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** What was learned since then will do, in milliseconds since the epoch: it was paid for under the same idempotency key. */
  readonly goodSince?: number | undefined;
  /** Who asks; how urgent it is follows from the wishes. Called when somebody has to be asked. */
  readonly asker: () => Omit<Asker, 'kind'>;
  /** How long he waits for his turn. */
  readonly patienceMs: number;
}

/** To look names up with one takes a quarter of a millisecond; the first answers come after twenty. */
const registriesInTurn = 8;

/** One loader per registry, for one operation: a batch never mixes registries, and a name is asked once however many fields want it. */
export function createLookup(wishes: readonly Wish[], options: LookupOptions): Lookup {
  const { directory, registrars, clock, goodSince, asker, patienceMs } = options;
  const needs = needsByName(wishes);
  const namesByArgs = new Map(wishes.map(({ args, names }) => [args, names]));
  const kind = askerKinds.find((candidate) => wishes.some((wish) => wish.kind === candidate)) ?? 'single';
  const schedule = paced(registriesInTurn);
  const loaders = new Map<Registry, DataLoader<DomainName, Answer>>();
  const rows = new Map<string, DomainRow>();
  const remembered = new Map<DomainName, Answer>();
  const registrarsRecords = new Map<string, Promise<RegistrarRecord>>();
  const answered = new Set<DomainName>();
  const pendingNames = new Set<DomainName>();
  const sent = new Set<DomainName>();
  const queried = new Set<DomainName>();
  const outcomes: Outcome[] = [];
  const joinedNames = new Set<DomainName>();
  const timings: Timings = { cache: 0, queue: 0, registry: 0 };
  const onSent = (name: DomainName, joined = false) => {
    sent.add(name);
    if (!joined) queried.add(name);
  };
  const onJoined = (name: DomainName) => void joinedNames.add(name);
  const wholeAsker = once((): Asker => ({ ...asker(), kind, onSent, onJoined }));
  const onPending = ({ domain }: DomainRow) => {
    const name = domain as DomainName;
    pendingNames.add(name);
    outcomes.push(pending(0));
    // Its lookup may be sent after the operation is settled.
    if (!joinedNames.has(name)) queried.add(name);
  };

  const told = (outcome: Outcome) => {
    options.onOutcome(outcome);
    outcomes.push(outcome);
    return outcome;
  };
  const questionOf = (name: DomainName): Question => ({ name, goodSince, ...(needs.get(name) ?? { part: 'record' }) });

  function loaderOf(registry: Registry): DataLoader<DomainName, Answer> {
    const known = loaders.get(registry);
    if (known) return known;
    const batch = (names: readonly DomainName[]) => {
      // A key resolves with what stands at its place: promises here let every name settle by itself, none waits for its batch.
      return Promise.resolve(registry.ask(names.map(questionOf), wholeAsker()) as readonly unknown[] as readonly Answer[]);
    };
    const loader = new DataLoader<DomainName, Answer>(batch, { batchScheduleFn: schedule });
    loaders.set(registry, loader);
    return loader;
  }

  function outcomeOf(name: DomainName, registry: Registry): Outcome | Promise<Outcome> {
    const finish = (answer: Answer, latencyMs: number) => {
      if (answer.verdict !== 'UNKNOWN') answered.add(name);
      addTimings(timings, answer);
      return told(outcomeOfAnswer(answer, latencyMs, clock.now()));
    };
    const known = remembered.get(name);
    if (known) return finish(known, 0);
    const startedAt = clock.elapsed();
    return loaderOf(registry)
      .load(name)
      .then((answer) => finish(answer, clock.elapsed() - startedAt));
  }

  async function recall(): Promise<boolean> {
    const startedAt = clock.elapsed();
    const wanted = new Map<Recall | undefined, Question[]>();
    for (const name of needs.keys()) {
      const place = directory.find(name);
      if ('problem' in place) continue;
      const { recall: from } = place.registry;
      const questions = wanted.get(from) ?? [];
      questions.push(questionOf(name));
      wanted.set(from, questions);
    }
    let wantedInAll = 0;
    for (const [from, questions] of wanted) {
      wantedInAll += questions.length;
      // All that is remembered is remembered together.
      for (const [name, answer] of (await from?.(questions)) ?? []) remembered.set(name, answer);
    }
    timings.cache = clock.elapsed() - startedAt;
    return remembered.size === wantedInAll;
  }

  function answerFromMemory(): object | undefined {
    const [asked, ...others] = wishes.flatMap(({ names }) => names);
    if (!asked || others.length > 0) return undefined;
    const answer = remembered.get(asked.domain as DomainName);
    // Of a TLD that has gone meanwhile nobody can be asked.
    return answer && !(rowOf(asked).outcome() as Outcome).problem ? answer.memory : undefined;
  }

  function rowOf(asked: Asked): DomainRow {
    if ('problem' in asked) return invalidRow(asked.domain, asked.problem);
    const { domain, typed = domain } = asked;
    const known = rows.get(domain);
    if (known) return known;
    const place = directory.find(domain);
    // A name that stands in the wrong place is shown as it was typed, as one that is none.
    if ('problem' in place && place.problem.code === 'invalid_name') return invalidRow(typed, place.problem);
    const outcome = 'problem' in place ? () => told(notAsked(place.problem)) : () => outcomeOf(domain, place.registry);
    const row = createRow(domain, outcome);
    rows.set(domain, row);
    return row;
  }

  function invalidRow(entry: string, problem: Problem): DomainRow {
    const id = invalidRowId(entry);
    const row = rows.get(id) ?? createRow(entry, () => told(notAsked(problem)), id);
    rows.set(id, row);
    return row;
  }

  function rowWithId(id: string): DomainRow | null {
    const asked = readDomainId(id);
    const row = asked && rowOf(asked);
    // `www.example.com` has the id of an INVALID row, and `invalid:example.com` is not the id of `example.com`.
    return row?.id === id ? row : null;
  }

  function many(search: Search): readonly DomainRow[] {
    askedAge(search.maxAge);
    const budgetMs = askedBudget(search.budgetMs);
    const found = (namesByArgs.get(search) ?? askedNames(search)).map(rowOf);
    // What is not known in time is owed like what is: it goes on, and will be known.
    return budgetMs === undefined ? found : withinBudget(found, budgetMs, clock, onPending);
  }

  function registrarRecord(row: DomainRow): Promise<RegistrarRecord> {
    const record = registrarsRecords.get(row.domain) ?? askRegistrar(row).then(asRecord, asFailure);
    registrarsRecords.set(row.domain, record);
    return record;
  }

  async function askRegistrar(row: DomainRow): Promise<Registration | null> {
    const { registration, endpoint, problem } = await row.outcome();
    if (problem) throw problem;
    if (!registration) return null;
    // Its turn in another queue begins now, however long the registry took.
    const registrarAsker: Asker = { ...asker(), kind, sendBy: clock.now() + patienceMs };
    return registrars.get(questionOf(row.domain as DomainName), { registration, ...(endpoint !== null && { endpoint }) }, registrarAsker);
  }

  return {
    one(single) {
      askedAge(single.maxAge);
      const [wished] = namesByArgs.get(single) ?? [];
      const domain = wished && !('problem' in wished) ? wished.domain : askedName(single);
      const place = directory.find(domain);
      if ('problem' in place && place.problem.code === 'invalid_name') {
        throw new Problem('invalid_name', place.problem.message, { param: 'name' });
      }
      return rowOf({ domain });
    },
    many,
    rowWithId,
    asKnown: (search) => asKnown(many(search), (row) => row.outcome()),
    recall,
    answerFromMemory,
    progress: { answered, pending: pendingNames, sent, queried, stored: remembered },
    timings,
    outcomes,
    registrarRecord,
  };
}

function asRecord(registration: Registration | null): RegistrarRecord {
  return { registration, problem: null };
}

/** Anything but a `Problem` is a fault of the gateway, and stays an error. */
function asFailure(error: unknown): RegistrarRecord {
  if (error instanceof Problem) return { registration: null, problem: error };
  throw error;
}
