import type { Account, Balance } from '../accounts/account.ts';
import { Charges } from './charging/charges.ts';
import { nameCharges } from './charging/name-charges.ts';
import type { IdempotencyKeys, IdempotencyRecord } from '../accounts/idempotency.ts';
import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { Ledger } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { RegistrarRecords, ObjectDirectory } from '../domain/directory.ts';
import type { Timelines } from '../domain/timeline.ts';
import type { ExtensionLookups } from '../domain/extension.ts';
import type { Log } from '../log.ts';
import type { FieldLookup, LookupPlan } from '../lookup/lookup-plan.ts';
import { Lookup, type LookupOptions } from '../lookup/lookup.ts';
import type { NameCapacity } from '../lookup/name-capacity.ts';
import type { NextTurn } from '../lookup/batch-scheduler.ts';
import { freeWorkOf, sandboxWorkOf, valueWorkOf } from './charging/free-work.ts';
import { LaterNames } from './later-names.ts';
import {
  checkNames,
  planLookups,
  readLookups,
  type OpenExtensions,
  type PlanParts,
} from './operation-plan.ts';
import { repetitionsIn, type Operation } from './operation.ts';
import { openPaidStream } from './charging/paid-stream.ts';
import { Resumption } from './resumption.ts';
import { Settlement } from './charging/settlement.ts';
import { prices } from './charging/prices.ts';

/** What resolvers can access; one per operation, the same in every API. */
export interface Context extends Pick<ExecutionParts, 'objects' | 'catalogue' | 'timelines'> {
  readonly lookup: Lookup;
  readonly later: LaterNames;
  readonly extensions: () => readonly ExtensionLookups[];
  /** Returns the balance of the caller's account; null for a caller without a key. */
  readonly account: () => Promise<AccountBalance | null>;
  /** The turns in which the operation does long work. */
  readonly nextTurn: NextTurn;
  readonly fields: readonly FieldLookup[];
  readonly settlement: Settlement;
  /** The rows of a subscription that its client has; undefined for other operations. */
  readonly resumption: Resumption | undefined;
  /** What earlier calls with the same idempotency key were charged. */
  readonly record: IdempotencyRecord | undefined;
}

export interface AccountBalance extends Balance {
  readonly name: string;
}

interface OperationRun {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly options: RunOptions;
}

export interface Caller {
  /** Returns a signal that is aborted when the client disconnects. */
  readonly signal: () => AbortSignal;
  /** Identifies the caller in host queues, which alternate between accounts. */
  readonly account: string;
  /** The account that is charged. Undefined for a caller without a key. */
  readonly payer: Account | undefined;
  /** Limits the work of requests that cost no credits. */
  readonly work: WorkBudget;
}

/** How long a lookup may be queued before it is sent, in milliseconds. */
export interface QueueTimeouts {
  /** Applies to responses in one piece. */
  readonly buffered: number;
  /** Applies to streamed responses and bulk calls. */
  readonly streaming: number;
}

/** How an operation is run. */
export interface RunOptions {
  readonly mode: keyof QueueTimeouts;
  /** The time budget of each list of names, in milliseconds, if it is not an argument. */
  readonly budgetMs?: number | undefined;
  /** Waits for earlier calls with the same idempotency key. Throws `idempotency_conflict`. */
  readonly openRecord?: (() => Promise<IdempotencyRecord>) | undefined;
  /** The languages in which RDAP objects are wanted, as in `Accept-Language`. */
  readonly language?: string | undefined;
  /** Called with each row of the first field as soon as its outcome is known. */
  readonly onRow?: ((row: RowProgress) => void) | undefined;
  /** For a stream that can be resumed: the id of the last event that its client has, or ''. */
  readonly resume?: { readonly lastEventId: string };
  /** What the operation may cost, in credits. It is refused if its price is higher. */
  readonly maxCredits?: number | undefined;
  /**
   * The format of the parts of deferred results; `incremental-v0.2` is that of graphql 17. Without
   * one, `@defer` is ignored.
   */
  readonly deferFormat?: '2022' | 'incremental-v0.2';
  /** Makes the data of results JSON (`JsonText`), if they have no parts. */
  readonly asJson?: boolean;
  /** If it is aborted, the operation ends at once, without its data. */
  readonly abortSignal?: AbortSignal | undefined;
}

interface RowProgress {
  readonly domain: string;
  readonly status: string;
  /** Number of rows with an outcome, including this one. */
  readonly done: number;
  readonly total: number;
}

/** The parts of the gateway that operations use. */
export interface ExecutionParts extends PlanParts {
  readonly objects: ObjectDirectory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly timelines: Timelines;
  readonly ledger: Ledger & IdempotencyKeys;
  readonly log: Log;
  readonly clock: Clock;
  readonly queueTimeouts: QueueTimeouts;
  readonly nameCapacity: NameCapacity;
  readonly onOutcome: LookupOptions['onOutcome'];
  /** Called with each registration that was read, and the suffix of the name. */
  readonly onRegistration: LookupOptions['onRegistration'];
  readonly onAvailable?: LookupOptions['onAvailable'];
  /** Called with the outcome of each object other than a domain. */
  readonly onObject: LookupOptions['objects']['onOutcome'];
}

/**
 * Opens the context of an operation: reads its lookups and reserves their price. Rejects with
 * `too_many_lookups`, `query_too_large`, `rate_limited`, `overloaded`, `insufficient_credits`,
 * `unavailable` or `idempotency_conflict` before anything is looked up. Adds to `held` what the
 * caller releases then.
 */
export async function openContext(
  held: DisposableStack,
  run: OperationRun,
  parts: ExecutionParts,
): Promise<Context> {
  const { operation, caller, options } = run;
  const { payer, work } = caller;
  work.spend(freeWorkOf(operation));
  const { fields, record, resumption } = await readFields(held, run, parts);
  const planned = planLookups(operation, fields, parts, record?.since, options.language);
  const { plan } = planned;

  const charges = payer && new Charges(parts.ledger, payer.id, options.maxCredits);
  const nextTurn = parts.slices.turns();
  let settlement: Settlement | undefined = undefined;
  // Without lookups, the operation ends before anything could be dropped.
  const signal = () => {
    const signalOfCaller = caller.signal();
    settlement?.watch(signalOfCaller);
    return signalOfCaller;
  };
  const requester = { account: caller.account, signal, work };
  const lookup = openLookup(plan, requester, options, parts, nextTurn, charges);

  let opened: OpenExtensions | undefined;
  const openExtensions = () =>
    (opened ??= planned.openExtensions({
      request: () => lookup.laterRequest(),
      meter: charges,
      payer: payer?.id,
      onFree: (ms) => work.countFreeLookup(ms),
      spendFree: (ms) => work.spendFree(ms),
      onOutcome: (outcome) => lookup.recordOutcome(outcome),
    }));
  const { lookups: extensions, price: extensionPrice } = planned.hasExtensions
    ? openExtensions()
    : noExtensions;
  if (extensions.some(({ count }) => count > 0)) work.checkFreeLookups();

  held.defer(() => {
    if (settlement?.isCharged) work.refund();
    else work.count(valueWorkOf(lookup));
  });
  lookup.objectValues.divideBy(() => repetitionsIn(operation));
  const isStored = await lookup.readCache();

  // Without a payer, the whole operation is free.
  work.spendFree(sandboxWorkOf(plan, lookup) + (payer ? 0 : workMs.names(1)));

  // Streamed rows cannot be withdrawn if a charge at the end is refused, so their price is
  // reserved first.
  const isChargedAtEnd =
    isStored &&
    options.mode === 'buffered' &&
    !fields.some(({ registrarRecord }) => registrarRecord);

  if (payer && charges) {
    const { progress } = lookup;
    const isFree = plan.isFree.bind(plan);
    const priced = { fields: plan.fields, isFree, progress, idempotencyRecord: record, resumption };
    const names = nameCharges(priced);
    const isPriced = names.requested + extensionPrice > 0;
    const paid =
      resumption && isPriced
        ? await openPaidStream(parts.ledger, payer.id, resumption, parts.clock.now())
        : undefined;

    await charges.open(names, extensionPrice, isChargedAtEnd && !record, paid);
  }

  if (charges?.hasReserved) work.refund();

  settlement = new Settlement({ charges, lookup, held, log: parts.log });
  if (!isChargedAtEnd) signal();

  return {
    nextTurn,
    fields,
    lookup,
    record,
    resumption,
    settlement,
    later: new LaterNames({ ...parts, plan, lookup, caller, charges, maxNames: parts.maxLookups }),
    extensions: () => openExtensions().lookups,
    objects: parts.objects,
    catalogue: parts.catalogue,
    timelines: parts.timelines,
    account: async () =>
      payer ? { name: payer.name, ...(await parts.ledger.balance(payer.id)) } : null,
  };
}

/** Reads the fields that look up names, waits for earlier calls, and takes the capacity for names. */
async function readFields(
  held: DisposableStack,
  { operation, caller, options: { budgetMs, resume, openRecord } }: OperationRun,
  parts: ExecutionParts,
) {
  const { fields, names } = await readLookups(operation, budgetMs, parts);
  const [rows] = operation.rootFields[0]?.name === 'availability' ? fields : [];
  const resumption = rows && resume && new Resumption(operation, rows, resume.lastEventId);

  const record = openRecord && (await openRecord());
  if (record) held.defer(() => record.release());

  checkNames(names, parts.maxLookups);
  held.defer(parts.nameCapacity(names, caller.account));
  return { fields: resumption ? [resumption.remaining] : fields, record, resumption };
}

const objectPrice = prices.object(1);
const noExtensions: OpenExtensions = { lookups: [], price: 0 };

function openLookup(
  plan: LookupPlan,
  { account, signal, work }: Omit<Caller, 'payer'>,
  { mode, language }: RunOptions,
  parts: ExecutionParts,
  nextTurn: NextTurn,
  charges: Charges | undefined,
): Lookup {
  const { objects, registrars, clock, queueTimeouts, maxLookups } = parts;
  const { onOutcome, onRegistration, onAvailable, onObject } = parts;
  const queueTimeoutMs =
    queueTimeouts[plan.fields.some(({ budgetMs }) => budgetMs !== undefined) ? 'streaming' : mode];
  const queueDeadline = clock.now() + queueTimeoutMs;

  return new Lookup(plan, {
    registrars,
    objects: {
      directory: objects,
      maxObjects: maxLookups,
      language,
      meter: charges,
      price: objectPrice,
      onFree: (count) => work.spendFree(count * workMs.sandboxRecord),
      onOutcome: onObject,
    },
    clock,
    nextTurn,
    isStreamed: mode === 'streaming',
    onOutcome,
    onRegistration,
    onAvailable,
    request: () => ({ signal: signal(), account, queueDeadline }),
    queueTimeoutMs,
  });
}
