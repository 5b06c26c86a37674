import type { Account, Balance } from './accounts/account.ts';
import { openMeter, type Meter, type IdempotencyRecord } from './accounts/credits.ts';
import type { WorkBudget } from './accounts/work-limit.ts';
import type { Ledger } from './accounts/store.ts';
import type { Clock } from './clock.ts';
import type { Catalogue } from './domain/catalogue.ts';
import type { RegistrarRecords } from './domain/registrar-records.ts';
import type { Directory } from './domain/directory.ts';
import type { DomainName } from './domain/domain-name.ts';
import type { Log } from './log.ts';
import { LookupPlan, type FieldLookup } from './lookup/lookup-plan.ts';
import { Lookup, type LookupOptions } from './lookup/lookup.ts';
import type { NameCapacity } from './lookup/name-capacity.ts';
import { Problem } from './domain/problems.ts';

/** What a resolver may touch. One an operation, the same for both doors. */
export interface Context {
  readonly lookup: Lookup;
  readonly catalogue: Catalogue;
  /** What the caller's account has left; null for a caller without a key. */
  readonly account: () => Promise<AccountBalance | null>;
  /** Counts the operation; absent for a caller without a key. */
  readonly meter: Meter | undefined;
}

export interface AccountBalance extends Balance {
  readonly name: string;
}

/** Who wants an operation run. */
export interface Caller {
  /** Aborted when the client leaves. */
  readonly signal: () => AbortSignal;
  /** Lookups of one account take turns with those of the others. */
  readonly account: string;
  readonly payer: Account | undefined;
  readonly work: WorkBudget;
  /** Runs a task when the answer is sent, or the caller gone. */
  onResponseClosed(task: () => void): void;
}

/** Opens the context of one operation. Throws `too_many_lookups`, `overloaded`, `insufficient_credits` or `unavailable`: then nothing has run. */
export type OpenContext = (
  fields: readonly FieldLookup[],
  caller: Caller,
  mode: keyof QueueTimeouts,
  idempotencyRecord?: IdempotencyRecord,
) => Promise<Context>;

/** How long a lookup may wait for its turn to be sent, in milliseconds. */
export interface QueueTimeouts {
  /** Where the client waits for the whole answer. */
  readonly buffered: number;
  /** Where rows come one by one, and in bulk. */
  readonly streaming: number;
}

interface ContextOptions {
  readonly directory: Directory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly clock: Clock;
  readonly queueTimeouts: QueueTimeouts;
  readonly maxLookups: number;
  readonly nameCapacity: NameCapacity;
  /** Told of each name's outcome. */
  readonly onOutcome: LookupOptions['onOutcome'];
}

/** Returns how to open contexts. */
export function createContextOpener(options: ContextOptions): OpenContext {
  const { directory, catalogue, ledger, maxLookups, nameCapacity } = options;
  return async (fields, caller, mode, idempotencyRecord) => {
    const { account, payer, onResponseClosed } = caller;
    onResponseClosed(nameCapacity(countNames(fields, maxLookups), account));
    const plan = new LookupPlan(fields, directory, idempotencyRecord?.since);
    const lookup = openLookup(plan, caller, mode, options);
    const isStored = await lookup.readCache();
    // Rows that are sent one by one cannot be taken back when the charge at the end is refused: their price is reserved first.
    const isChargedAtEnd =
      isStored && mode === 'buffered' && !fields.some(({ registrarRecord }) => registrarRecord);
    const meter = await openMeterOf(plan, lookup, caller, {
      ledger,
      isChargedAtEnd,
      idempotencyRecord,
    });
    if (meter) settleWhenClosed(meter, onResponseClosed, options.log);
    return {
      lookup,
      meter,
      catalogue,
      account: async () =>
        payer ? { name: payer.name, ...(await ledger.balance(payer.id)) } : null,
    };
  };
}

function openLookup(
  plan: LookupPlan,
  { account, signal }: Caller,
  mode: keyof QueueTimeouts,
  options: ContextOptions,
): Lookup {
  const { registrars, clock, queueTimeouts, onOutcome } = options;
  const queueTimeoutMs =
    queueTimeouts[plan.fields.some(({ budgetMs }) => budgetMs !== undefined) ? 'streaming' : mode];
  const queueDeadline = clock.now() + queueTimeoutMs;
  return new Lookup(plan, {
    registrars,
    clock,
    onOutcome,
    request: () => ({ signal: signal(), account, queueDeadline }),
    queueTimeoutMs,
  });
}

interface Payment {
  readonly ledger: Ledger;
  /** No registry has to be queried, and the response is sent in one piece: the price is due at the end, and nothing needs to be reserved. */
  readonly isChargedAtEnd: boolean;
  readonly idempotencyRecord: IdempotencyRecord | undefined;
}

async function openMeterOf(
  plan: LookupPlan,
  { progress }: Lookup,
  { payer, work }: Caller,
  payment: Payment,
): Promise<Meter | undefined> {
  const { ledger, isChargedAtEnd, idempotencyRecord } = payment;
  const { fields } = plan;
  const isFree = (name: DomainName) => plan.isFree(name);
  return (
    payer &&
    openMeter(ledger, {
      payer,
      fields,
      isFree,
      progress,
      isChargedAtEnd: isChargedAtEnd,
      idempotencyRecord,
      onCreditsAvailable: work.refund,
    })
  );
}

/** However an answer ends, its operation is settled; a client that leaves pays for what was answered or sent. */
function settleWhenClosed(
  meter: Meter,
  onResponseClosed: Caller['onResponseClosed'],
  log: Log,
): void {
  onResponseClosed(() => {
    meter.settle('aborted').catch((error: unknown) => {
      // Who could not pay in the end was told so.
      if (!(error instanceof Problem && error.code === 'insufficient_credits'))
        log.error({ err: error }, 'an operation could not be settled');
    });
  });
}

/** Throws `too_many_lookups`. */
function countNames(fields: readonly FieldLookup[], maxLookups: number): number {
  const distinct = new Set<string>();
  for (const { names } of fields) for (const { domain } of names) distinct.add(domain);
  if (distinct.size > maxLookups)
    throw new Problem(
      'too_many_lookups',
      `This asks for ${distinct.size} names; ask for at most ${maxLookups} at once.`,
    );
  return distinct.size;
}
