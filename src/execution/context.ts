import type { Account, Balance } from '../accounts/account.ts';
import { openMeter, type Meter, type IdempotencyRecord } from '../accounts/credits.ts';
import { LaterCharges, withLaterCharges } from '../accounts/later-charges.ts';
import { prices, sitePrices } from '../accounts/prices.ts';
import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { Ledger } from '../accounts/store.ts';
import type { Clock } from '../clock.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import type { Directory } from '../domain/directory.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { ObjectDirectory } from '../domain/object-directory.ts';
import type { DisposableMailList } from '../sites/mail/disposable-mail.ts';
import type { SiteReader } from '../sites/site-facts.ts';
import type { Log } from '../log.ts';
import { LookupPlan, type FieldLookup } from '../lookup/lookup-plan.ts';
import { Lookup, type LookupOptions } from '../lookup/lookup.ts';
import type { NameCapacity } from '../lookup/name-capacity.ts';
import type { ObjectMeter } from '../lookup/object-lookups.ts';
import type { SiteMeter } from '../sites/site-lookups.ts';
import type { NextTurn } from '../lookup/batch-scheduler.ts';
import { Problem } from '../domain/problems.ts';

/** What resolvers can access; one per operation, the same in both APIs. */
export interface Context {
  readonly lookup: Lookup;
  readonly objects: ObjectDirectory;
  readonly catalogue: Catalogue;
  readonly disposableMail: DisposableMailList;
  /** Returns the balance of the caller's account; null for a caller without a key. */
  readonly account: () => Promise<AccountBalance | null>;
  /** The turns in which the operation does long work. */
  readonly nextTurn: NextTurn;
  /** Meters the operation; absent for a caller without a key. */
  readonly meter: Meter | undefined;
}

export interface AccountBalance extends Balance {
  readonly name: string;
}

/** The caller of an operation. */
export interface Caller {
  /** Returns a signal that is aborted when the client disconnects. */
  readonly signal: () => AbortSignal;
  /** Queues are shared fairly between accounts. */
  readonly account: string;
  readonly payer: Account | undefined;
  readonly work: WorkBudget;
  /** Runs a task once the response is sent or the client has disconnected. */
  onResponseClosed(task: () => void): void;
}

/**
 * Opens the context of one operation. Rejects with `too_many_lookups`, `overloaded`,
 * `insufficient_credits` or `unavailable` before anything is looked up.
 */
export type OpenContext = (
  fields: readonly FieldLookup[],
  caller: Caller,
  mode: keyof QueueTimeouts,
  idempotencyRecord?: IdempotencyRecord,
) => Promise<Context>;

/** How long a lookup may be queued before it is sent, in milliseconds. */
export interface QueueTimeouts {
  /** For responses in one piece. */
  readonly buffered: number;
  /** For streamed responses and bulk calls. */
  readonly streaming: number;
}

interface ContextOptions {
  readonly directory: Directory;
  readonly objects: ObjectDirectory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly sites: {
    readonly reader: SiteReader;
    readonly disposableMail: DisposableMailList;
  };
  readonly ledger: Ledger;
  readonly log: Log;
  readonly clock: Clock;
  readonly queueTimeouts: QueueTimeouts;
  readonly maxLookups: number;
  /** If false, the registry must confirm all verdicts. */
  readonly dnsFirst: boolean;
  readonly nameCapacity: NameCapacity;
  /** Opens the turns in which an operation does long work. */
  readonly openTurns: () => NextTurn;
  /** Called with the outcome of each name. */
  readonly onOutcome: LookupOptions['onOutcome'];
  /** Called with the outcome of each object other than a domain. */
  readonly onObject: LookupOptions['onObject'];
  /** Called with the outcome of each site lookup. */
  readonly onSite: LookupOptions['sites']['onOutcome'];
}

/** Creates the function that opens contexts. */
export function createContextOpener(options: ContextOptions): OpenContext {
  const { directory, catalogue, ledger, maxLookups, nameCapacity } = options;
  return async (requested, caller, mode, idempotencyRecord) => {
    const fields = options.dnsFirst ? requested : requested.map(confirmingAll);
    const { account, payer, onResponseClosed } = caller;
    onResponseClosed(nameCapacity(countNames(fields, maxLookups), account));
    const plan = new LookupPlan(fields, directory, idempotencyRecord?.since);
    if (plan.sites.lookups.length > 0) caller.work.checkSiteLookups();
    const charges = payer && new LaterCharges(ledger, payer.id);
    const nextTurn = options.openTurns();
    const lookup = openLookup(plan, caller, mode, { ...options, nextTurn, charges });
    const opened: { meter?: Meter | undefined } = {};
    onResponseClosed(() => void countIfFree(lookup, caller.work, opened.meter));
    const isStored = await lookup.readCache();
    // Without a payer, the whole operation is free.
    caller.work.spendFree(sandboxWorkOf(plan, lookup) + (payer ? 0 : workMs.names(1)));
    await reserveForSites(lookup, charges);
    // Streamed rows cannot be withdrawn if a charge at the end is refused, so their price is
    // reserved first.
    const isChargedAtEnd =
      isStored && mode === 'buffered' && !fields.some(({ registrarRecord }) => registrarRecord);
    const meter = await openMeterOf(plan, lookup, caller, {
      ledger,
      isChargedAtEnd,
      idempotencyRecord,
      charges,
    });
    if (meter) settleWhenClosed(meter, onResponseClosed, options.log);
    opened.meter = meter;
    return {
      lookup,
      nextTurn,
      meter,
      objects: options.objects,
      catalogue,
      disposableMail: options.sites.disposableMail,
      account: async () =>
        payer ? { name: payer.name, ...(await ledger.balance(payer.id)) } : null,
    };
  };
}

function confirmingAll(field: FieldLookup): FieldLookup {
  return { ...field, confirm: 'ALL' };
}

function openLookup(
  plan: LookupPlan,
  { account, signal, work }: Caller,
  mode: keyof QueueTimeouts,
  options: ContextOptions & {
    readonly nextTurn: NextTurn;
    readonly charges: LaterCharges | undefined;
  },
): Lookup {
  const { objects, registrars, sites, clock, queueTimeouts, maxLookups } = options;
  const { nextTurn, charges } = options;
  const { onOutcome, onObject, onSite } = options;
  const queueTimeoutMs =
    queueTimeouts[plan.fields.some(({ budgetMs }) => budgetMs !== undefined) ? 'streaming' : mode];
  const queueDeadline = clock.now() + queueTimeoutMs;
  return new Lookup(plan, {
    registrars,
    objects,
    maxObjects: maxLookups,
    objectMeter: charges && objectMeter(charges),
    onFreeObjects: (count) => work.spendFree(count * workMs.sandboxRecord),
    sites: {
      reader: sites.reader,
      meter: charges && siteMeter(charges),
      onFree: (site) => work.countSiteLookup(site),
      onOutcome: onSite,
    },
    clock,
    nextTurn,
    isStreamed: mode === 'streaming',
    onOutcome,
    onObject,
    request: () => ({ signal: signal(), account, queueDeadline }),
    queueTimeoutMs,
  });
}

function objectMeter(charges: LaterCharges): ObjectMeter {
  const price = prices.record(1);
  return {
    reserve: (objects) => charges.reserve(prices.record(objects)),
    recordSent: (key) => charges.recordSent(key, price),
    recordAnswered: (key) => charges.recordAnswered(key, price),
  };
}

function siteMeter(charges: LaterCharges): SiteMeter {
  return {
    priceOf: (lookup) => sitePrices[lookup],
    recordSent: (id, credits) => charges.recordSent(id, credits),
    recordAnswered: (id, credits) => charges.recordAnswered(id, credits),
    recordFailed: (id) => charges.recordFailed(id),
  };
}

/** Reserves the price of the site lookups. Throws `insufficient_credits` or `unavailable`. */
async function reserveForSites(
  { sites }: Lookup,
  charges: LaterCharges | undefined,
): Promise<void> {
  const refusal = sites.price > 0 ? await charges?.reserve(sites.price) : undefined;
  if (refusal) throw refusal;
}

interface Payment {
  readonly ledger: Ledger;
  /**
   * No registry has to be queried, and the response is sent in one piece: it is charged at the end
   * without a reservation.
   */
  readonly isChargedAtEnd: boolean;
  readonly idempotencyRecord: IdempotencyRecord | undefined;
  readonly charges: LaterCharges | undefined;
}

async function openMeterOf(
  plan: LookupPlan,
  { progress }: Lookup,
  { payer, work }: Caller,
  payment: Payment,
): Promise<Meter | undefined> {
  const { ledger, isChargedAtEnd, idempotencyRecord, charges } = payment;
  if (!payer || !charges) return undefined;
  const meter = await openMeter(ledger, {
    payer,
    fields: plan.fields,
    isFree: (name: DomainName) => plan.isFree(name),
    progress,
    isChargedAtEnd,
    idempotencyRecord,
    onCreditsAvailable: work.refund,
  }).catch(async (refusal: unknown) => {
    await charges.settle('failed');
    throw refusal;
  });
  return withLaterCharges(meter, charges, () => ledger.balance(payer.id));
}

/**
 * Settles the operation however its response ends. If the client disconnects, names answered and
 * lookups sent are charged.
 */
function settleWhenClosed(
  meter: Meter,
  onResponseClosed: Caller['onResponseClosed'],
  log: Log,
): void {
  onResponseClosed(() => {
    meter.settle('aborted').catch((error: unknown) => {
      // The client already got this problem as the response.
      if (!(error instanceof Problem && error.code === 'insufficient_credits'))
        log.error(
          { err: error },
          'Failed to settle credits. The reservation is refunded when it expires.',
        );
    });
  });
}

/** Returns the work of the names that are looked up in the sandbox, in milliseconds. */
function sandboxWorkOf(plan: LookupPlan, { progress }: Lookup): number {
  let ms = 0;
  for (const { target } of plan.rows) {
    if (!('query' in target) || !plan.isFree(target.query.name)) continue;
    if (progress.stored.has(target.query.name)) continue;
    ms += target.query.detail === 'verdict' ? workMs.sandboxVerdict : workMs.sandboxRecord;
  }
  return ms;
}

/** Counts the work of a response that cost nothing, once it has ended. */
async function countIfFree(
  { objectValues }: Lookup,
  work: WorkBudget,
  meter: Meter | undefined,
): Promise<void> {
  // A refused charge is reported elsewhere.
  const cost = await meter?.settle('aborted').catch(() => undefined);
  if (cost && cost.charged > 0) return;
  const { values, recordCharacters } = objectValues.spent;
  work.count(workMs.values(values) + workMs.characters(recordCharacters));
}

/** Throws `too_many_lookups`. */
function countNames(fields: readonly FieldLookup[], maxLookups: number): number {
  const distinct = new Set<string>();
  for (const { names } of fields) for (const { domain } of names) distinct.add(domain);
  if (distinct.size > maxLookups)
    throw new Problem(
      'too_many_lookups',
      `This request contains ${distinct.size} names, but at most ${maxLookups} are allowed.`,
    );
  return distinct.size;
}
