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
import { createLookup, type Lookup, type LookupOptions } from './lookup/lookup.ts';
import type { Room } from './lookup/room.ts';
import { Problem } from './problems.ts';
import type { Wish } from './lookup/wish.ts';

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
export type OpenContext = (wishes: readonly Wish[], caller: Caller, patience: keyof Patience, receipt?: Receipt) => Promise<Context>;

/** How long a lookup may wait for its turn to be sent, in milliseconds. */
export interface Patience {
  /** Where the client waits for the whole answer. */
  readonly inOnePiece: number;
  /** Where rows come one by one, and in bulk. */
  readonly streamed: number;
}

export interface ContextOptions {
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

export function contextOpener(options: ContextOptions): OpenContext {
  const { directory, registrars, catalogue, ledger, log, clock, patience, maxLookups, room, onOutcome } = options;
  const isFree = (name: DomainName) => name.endsWith('.test') || 'problem' in directory.find(name);
  return async (wishes, caller, kind, receipt) => {
    const { account, payer, work, signal, whenDone } = caller;
    whenDone(room(countNames(wishes, maxLookups), account));
    const patienceMs = patience[wishes.some((wish) => wish.patient) ? 'streamed' : kind];
    const sendBy = clock.now() + patienceMs;
    const lookup = createLookup(wishes, {
      directory,
      registrars,
      clock,
      onOutcome,
      goodSince: receipt?.since,
      asker: () => ({ signal: signal(), account, sendBy }),
      patienceMs,
    });
    // Rows that are sent one by one cannot be taken back when the charge at the end is refused: what they cost is set aside first.
    const remembered = (await lookup.recall()) && kind === 'inOnePiece' && !wishes.some(({ registrarRecord }) => registrarRecord);
    const metered = { wishes, isFree, progress: lookup.progress, remembered, receipt, onPayable: work.refund };
    const meter = payer && (await openMeter(ledger, { payer, ...metered }));
    if (meter) settleWhenDone(meter, whenDone, log);
    return { lookup, meter, catalogue, account: async () => (payer ? { name: payer.name, ...(await ledger.balance(payer.id)) } : null) };
  };
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
function countNames(wishes: readonly Wish[], most: number): number {
  const all = new Set<string>();
  for (const { names } of wishes) for (const { domain } of names) all.add(domain);
  if (all.size > most) throw new Problem('too_many_lookups', `This asks for ${all.size} names; ask for at most ${most} at once.`);
  return all.size;
}
