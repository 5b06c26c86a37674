import type { Account, Balance } from './accounts/account.ts';
import { openMeter, type Meter, type Receipt } from './accounts/credits.ts';
import type { Ledger } from './accounts/store.ts';
import type { Clock } from './clock.ts';
import type { Catalogue } from './domain/catalogue.ts';
import type { RegistrarRecords } from './domain/registrar-records.ts';
import type { Directory } from './domain/directory.ts';
import type { DomainName } from './domain/domain-name.ts';
import type { Log } from './log.ts';
import { createLookup, type Lookup } from './lookup/lookup.ts';
import { Problem } from './problems.ts';
import type { Wish } from './lookup/wish.ts';

/** What a resolver may touch. One an operation, the same for both doors. */
export interface Context {
  readonly lookup: Lookup;
  /** What the caller's account has left; null for a caller without a key. */
  readonly catalogue: Catalogue;
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
  readonly signal: AbortSignal;
  /** Lookups of one account take turns with those of the others. */
  readonly account: string;
  readonly payer: Account | undefined;
}

/** Opens the context of one operation. Throws `too_many_lookups`, `insufficient_credits` or `unavailable`: then nothing has run. */
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
}

export function contextOpener({ directory, registrars, catalogue, ledger, log, clock, patience, maxLookups }: ContextOptions): OpenContext {
  const isFree = (name: DomainName) => name.endsWith('.test') || 'problem' in directory.find(name);
  return async (wishes, { signal, account, payer }, kind, receipt) => {
    refuseTooMany(wishes, maxLookups);
    const patient = wishes.some((wish) => wish.patient) ? 'streamed' : kind;
    const lookup = createLookup(wishes, {
      directory,
      registrars,
      clock,
      asker: { signal, account, sendBy: clock.now() + patience[patient] },
    });
    // Rows that are sent one by one cannot be taken back when the charge at the end is refused: what they cost is set aside first.
    const remembered = (await lookup.recall()) && kind === 'inOnePiece';
    const meter = payer && (await openMeter(ledger, { payer, wishes, isFree, progress: lookup.progress, remembered, receipt }));
    if (meter) settleWhenLeft(meter, signal, log);
    return { lookup, meter, catalogue, account: async () => (payer ? { name: payer.name, ...(await ledger.balance(payer.id)) } : null) };
  };
}

/** A client that leaves pays for what was answered or sent, by whatever way its answer would have gone out. */
function settleWhenLeft(meter: Meter, signal: AbortSignal, log: Log): void {
  const settle = () => void meter.settle('cut').catch((error: unknown) => log.error({ err: error }, 'an operation could not be settled'));
  if (signal.aborted) settle();
  else signal.addEventListener('abort', settle, { once: true });
}

function refuseTooMany(wishes: readonly Wish[], most: number): void {
  const names = new Set(wishes.flatMap((wish) => wish.names.map(({ domain }) => domain)));
  if (names.size > most) throw new Problem('too_many_lookups', `This asks for ${names.size} names; ask for at most ${most} at once.`);
}
