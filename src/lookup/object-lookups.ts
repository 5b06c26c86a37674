import type DataLoader from 'dataloader';
import type { Clock } from '../clock.ts';
import type {
  ObjectData,
  ObjectDirectory,
  ObjectResolution,
  ObjectServer,
} from '../domain/directory.ts';
import { addressBlockOf, containsNetwork, parseIpBlock } from '../domain/names/ip-address.ts';
import type { LookupMeter } from '../domain/extension.ts';
import type { IpRef, ObjectRef, ObjectType, RefOf } from '../domain/object-ref.ts';
import { refusedOutcome, roundedMs, type Outcome } from '../domain/outcome.ts';
import { Problem, resultOrProblem } from '../domain/problems.ts';
import { failedAnswer, type Answer, type RdapRecord } from '../domain/answer.ts';
import type { LookupRequest, ObjectQuery } from '../domain/source.ts';
import { once, onceSettled, getOrInsert } from '../shared/memoize.ts';
import { batchScheduler, createLoader, readInTurns, type NextTurn } from './batch-scheduler.ts';
import type { LookupEvidence } from './lookup-outcome.ts';
import type { ValueLimit } from './value-limit.ts';

/** An object that its registry has. */
interface FoundObject<T extends ObjectType> {
  /** Parses the registry's object; null if a stale answer has lost it. */
  readonly read: () => ObjectData[T] | null;
}

/** The result of an object: null if its registry has none. */
export interface ObjectOutcome<
  T extends ObjectType = ObjectType,
> extends Outcome<FoundObject<T> | null> {
  /** Base URL of the RDAP server that answered; null if none was queried. */
  readonly endpoint: string | null;
  readonly evidence: LookupEvidence | null;
}

/** An object of an operation. It is looked up when its outcome is requested. */
export interface ObjectRow<T extends ObjectType = ObjectType> {
  /** In seconds, as requested. Objects that are looked up from this one have the same. */
  readonly maxAge: number | undefined;
  /** Returns the same outcome each time. Rejects only if the gateway fails. */
  readonly outcome: () => ObjectOutcome<T> | Promise<ObjectOutcome<T>>;
}

export interface ObjectLookupOptions {
  readonly directory: ObjectDirectory;
  readonly clock: Clock;
  /** Returns the request of lookups that start now. */
  readonly request: () => LookupRequest;
  /** The maximum number of objects in one operation. */
  readonly maxObjects: number;
  /** The languages in which the objects are wanted. */
  readonly language: string | undefined;
  /** Undefined for a caller without a key. */
  readonly meter: LookupMeter | undefined;
  /** The price of an object that was answered, in credits. */
  readonly price: number;
  /** Called before objects are looked up for free. Throws the problem that prevents it. */
  readonly onFree: (objects: number) => void;
  /** Above its limits, nothing else is looked up. */
  readonly values: ValueLimit;
  readonly nextTurn: NextTurn;
  readonly onOutcome: (type: ObjectType, outcome: ObjectOutcome) => void;
}

type Target = Extract<ObjectResolution, { readonly server: ObjectServer }>;
type Loader = DataLoader<ObjectQuery, Answer<RdapRecord | null>>;

/**
 * Looks up the objects of one operation: each once, with one loader per server, so that a batch
 * never mixes servers.
 */
export class ObjectLookups {
  readonly #options: ObjectLookupOptions;
  readonly #rows = new Map<string, ObjectRow>();
  /** The first address in each block. */
  readonly #firstRows = new Map<string, ObjectRow<'ip'>>();
  readonly #loaders = new Map<string, Loader>();
  readonly #schedule = batchScheduler();
  #count = 0;

  constructor(options: ObjectLookupOptions) {
    this.#options = options;
  }

  /**
   * Returns the row of an object. `maxAge`: the maximum age of a stored answer, in seconds; the
   * default freshness applies without it.
   */
  row<T extends ObjectType>(ref: RefOf<T>, maxAge: number | undefined): ObjectRow<T> {
    const id = `${maxAge ?? ''} ${ref.key}`;
    const row = getOrInsert(this.#rows, id, () => ({
      maxAge,
      outcome: onceSettled(() => this.#lookUp(ref, maxAge)),
    }));

    // The type is part of the key.
    return row as ObjectRow<T>;
  }

  /**
   * Returns the row of the network of an address. It is that of the first address in the same /24 or
   * /48 if that network contains both and is assigned: no other registry object is more specific.
   */
  networkRow(ref: IpRef, maxAge: number | undefined): ObjectRow<'ip'> {
    const row = this.row<'ip'>(ref, maxAge);
    const block = `${maxAge ?? ''} ${addressBlockOf(ref.ip)}`;
    const first = getOrInsert(this.#firstRows, block, () => row);
    if (first === row) return row;

    const outcome = async () => {
      const other = await first.outcome();
      return isAssignedNetworkOf(ref, other.data?.read()) ? other : row.outcome();
    };

    return { maxAge, outcome: onceSettled(outcome) };
  }

  /** Returns the row of an object that cannot be looked up. */
  failedRow<T extends ObjectType>(type: T, problem: Problem): ObjectRow<T> {
    return { maxAge: undefined, outcome: once(() => this.#fail<T>(type, problem)) };
  }

  async #lookUp(ref: ObjectRef, maxAge: number | undefined): Promise<ObjectOutcome> {
    const { directory, clock, maxObjects, language, nextTurn, request, onOutcome } = this.#options;
    const { meter, price } = this.#options;
    const target = await directory.resolve(ref);
    if ('problem' in target) return this.#fail(ref.type, target.problem);

    this.#count += 1;
    if (this.#count > maxObjects) return this.#fail(ref.type, tooManyObjects(maxObjects));

    const startedAt = clock.elapsed();
    const query = { ref, maxAge, language, detail: 'record' } as const;
    const answer = await this.#loaderOf(target, maxAge).load(query);
    const outcome = this.#outcomeOf(ref.type, answer, clock.elapsed() - startedAt);

    if (outcome.data !== undefined && !target.isFree) meter?.recordAnswered(ref.key, price);
    else if (!request().signal.aborted) meter?.recordFailed(ref.key);
    onOutcome(ref.type, outcome);
    await nextTurn('later');

    return outcome;
  }

  #fail<T extends ObjectType>(type: T, problem: Problem): ObjectOutcome<T> {
    const outcome = { ...refusedOutcome(problem), endpoint: null, evidence: null };
    this.#options.onOutcome(type, outcome);
    return outcome;
  }

  #outcomeOf<T extends ObjectType>(
    type: T,
    { data: record, problem, provenance }: Answer<RdapRecord | null>,
    latencyMs: number,
  ): ObjectOutcome<T> {
    const { endpoint, checkedAt, freshUntil, cached, stale, evidence, attempts } = provenance;
    const { parser } = this.#options.directory;
    const read = once(() => (record?.json ? parser.parse(type, record.json) : null));

    return {
      data: record && { read },
      problem,
      cached,
      stale,
      checkedAt,
      freshUntil,
      latencyMs: roundedMs(latencyMs),
      endpoint: endpoint ?? null,
      evidence: { response: evidence ?? null, object: () => record?.json, attempts },
    };
  }

  /** A loader has one maximum age, so that one read of the cache decides for all its objects. */
  #loaderOf(target: Target, maxAge: number | undefined): Loader {
    const id = `${maxAge ?? ''} ${target.server.id}`;
    return getOrInsert(this.#loaders, id, () =>
      createLoader((queries) => this.#lookUpBatch(queries, target), this.#schedule),
    );
  }

  async #lookUpBatch(
    queries: readonly ObjectQuery[],
    { server, isFree }: Target,
  ): Promise<readonly (Answer<RdapRecord | null> | Promise<Answer<RdapRecord | null>>)[]> {
    const { meter, price, request, values, nextTurn, onFree } = this.#options;
    const refusal = isFree
      ? resultOrProblem(() => onFree(queries.length))
      : await meter?.reserve(queries.length * price);
    if (refusal) return queries.map(() => failedAnswer(refusal));

    const reads = await readInTurns(server.readCache, queries, values, nextTurn);
    const observed = isFree ? request() : this.#recordingSent(request());

    return queries.map((query) => {
      const { answer: stored, ...missed } = reads.get(query.ref.key) ?? {};
      if (stored) return stored;
      return server.lookup({ ...query, ...missed }, observed).then((answer) => {
        values.spendRecord(answer.data);
        return answer;
      });
    });
  }

  #recordingSent(request: LookupRequest): LookupRequest {
    const { observer } = request;
    const { meter, price } = this.#options;
    return {
      ...request,
      observer: {
        onJoined: (key) => observer?.onJoined(key),
        onSent: (key, joined) => {
          meter?.recordSent(key, price);
          observer?.onSent(key, joined);
        },
      },
    };
  }
}

/**
 * Returns whether a network contains an address and is in use, such as `ASSIGNED PA` and
 * `REASSIGNMENT`. An allocation may contain other networks.
 */
function isAssignedNetworkOf({ ip }: IpRef, network: ObjectData['ip'] | null | undefined): boolean {
  const address = parseIpBlock(ip);
  if (!address || !/^(?:re|sub-|direct )?assign/i.test(network?.type ?? '')) return false;
  const blocks = (network?.cidrs ?? []).map(parseIpBlock);
  return blocks.some((block) => block !== undefined && containsNetwork(block, address));
}

function tooManyObjects(maxObjects: number): Problem {
  return new Problem(
    'too_many_lookups',
    `This request looks up more than ${maxObjects} objects. Select fewer.`,
  );
}
