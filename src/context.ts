import type { Account, Balance } from './accounts/account.ts';
import { openMeter, type Meter, type Receipt } from './accounts/credits.ts';
import type { Work } from './accounts/work-limit.ts';
import type { Ledger } from './accounts/store.ts';
import type { Clock } from './clock.ts';
import type { Catalogue } from './domain/catalogue.ts';
import type { RegistrarRecords } from './domain/registrar-records.ts';
import type { Directory } from './domain/directory.ts';
import type { DomainName } from './domain/domain-name.ts';
import type { Log } from './log.ts';
import { LookupPlan, type FieldLookup } from './lookup/lookup-plan.ts';
import { Lookup, type LookupOptions } from './lookup/lookup.ts';
import type { Room } from './lookup/name-capacity.ts';
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
  readonly work: Work;
  /** Runs a task when the answer is sent, or the caller gone. */
  whenDone(task: () => void): void;
}

/** Opens the context of one operation. Throws `too_many_lookups`, `overloaded`, `insufficient_credits` or `unavailable`: then nothing has run. */
export type OpenContext = (
  fields: readonly FieldLookup[],
  caller: Caller,
  patience: keyof Patience,
  receipt?: Receipt,
) => Promise<Context>;

/** How long a lookup may wait for its turn to be sent, in milliseconds. */
export interface Patience {
  /** Where the client waits for the whole answer. */
  readonly inOnePiece: number;
  /** Where rows come one by one, and in bulk. */
  readonly streamed: number;
}

interface ContextOptions {
  readonly directory: Directory;
  readonly registrars: RegistrarRecords;
  readonly catalogue: Catalogue;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly maxLookups: number;
  readonly room: Room;
  /** Told of each name's outcome. */
  readonly onOutcome: LookupOptions['onOutcome'];
}

/** Returns how to open contexts. */
export function contextOpener(options: ContextOptions): OpenContext {
  const { directory, catalogue, ledger, maxLookups, room } = options;
  return async (fields, caller, kind, receipt) => {
    const { account, payer, whenDone } = caller;
    whenDone(room(countNames(fields, maxLookups), account));
    const plan = new LookupPlan(fields, directory, receipt?.since);
    const lookup = openLookup(plan, caller, kind, options);
    const isStored = await lookup.readCache();
    // Rows that are sent one by one cannot be taken back when the charge at the end is refused: their price is reserved first.
    const isPaidLater =
      isStored && kind === 'inOnePiece' && !fields.some(({ registrarRecord }) => registrarRecord);
    const meter = await openMeterOf(plan, lookup, caller, { ledger, isPaidLater, receipt });
    if (meter) settleWhenDone(meter, whenDone, options.log);
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
  kind: keyof Patience,
  options: ContextOptions,
): Lookup {
  const { registrars, clock, patience, onOutcome } = options;
  const patienceMs =
    patience[plan.fields.some(({ budgetMs }) => budgetMs !== undefined) ? 'streamed' : kind];
  const queueDeadline = clock.now() + patienceMs;
  return new Lookup(plan, {
    registrars,
    clock,
    onOutcome,
    request: () => ({ signal: signal(), account, queueDeadline }),
    patienceMs,
  });
}

interface Payment {
  readonly ledger: Ledger;
  /** No registry has to be queried, and the response is sent in one piece: the price is due at the end, and nothing needs to be reserved. */
  readonly isPaidLater: boolean;
  readonly receipt: Receipt | undefined;
}

async function openMeterOf(
  plan: LookupPlan,
  { progress }: Lookup,
  { payer, work }: Caller,
  payment: Payment,
): Promise<Meter | undefined> {
  const { ledger, isPaidLater, receipt } = payment;
  const { fields } = plan;
  const isFree = (name: DomainName) => plan.isFree(name);
  return (
    payer &&
    openMeter(ledger, {
      payer,
      fields,
      isFree,
      progress,
      remembered: isPaidLater,
      receipt,
      onPayable: work.refund,
    })
  );
}

/** However an answer ends, its operation is settled; a client that leaves pays for what was answered or sent. */
function settleWhenDone(meter: Meter, whenDone: Caller['whenDone'], log: Log): void {
  whenDone(() => {
    meter.settle('cut').catch((error: unknown) => {
      // Who could not pay in the end was told so.
      if (!(error instanceof Problem && error.code === 'insufficient_credits'))
        log.error({ err: error }, 'an operation could not be settled');
    });
  });
}

/** Throws `too_many_lookups`. */
function countNames(fields: readonly FieldLookup[], most: number): number {
  const all = new Set<string>();
  for (const { names } of fields) for (const { domain } of names) all.add(domain);
  if (all.size > most)
    throw new Problem(
      'too_many_lookups',
      `This asks for ${all.size} names; ask for at most ${most} at once.`,
    );
  return all.size;
}
