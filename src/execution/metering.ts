import type { Account } from '../accounts/account.ts';
import { openMeter, type IdempotencyRecord, type Meter } from '../accounts/credits.ts';
import { withLaterCharges, type LaterCharges } from '../accounts/later-charges.ts';
import { prices } from '../accounts/prices.ts';
import type { Ledger } from '../accounts/store.ts';
import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { LookupPlan } from '../lookup/lookup-plan.ts';
import type { Lookup } from '../lookup/lookup.ts';
import type { ObjectMeter } from '../lookup/object-lookups.ts';
import type { SiteMeter } from '../sites/site-lookups.ts';

/** The caller of an operation, as its meter needs it. */
interface Payer {
  readonly payer: Account | undefined;
  readonly work: WorkBudget;
}

/** Returns what charges for objects. */
export function objectMeter(charges: LaterCharges): ObjectMeter {
  const price = prices.record(1);
  return {
    reserve: (objects) => charges.reserve(prices.record(objects)),
    recordSent: (key) => charges.recordSent(key, price),
    recordAnswered: (key) => charges.recordAnswered(key, price),
  };
}

/** Returns what charges for site lookups. */
export function siteMeter(charges: LaterCharges): SiteMeter {
  return {
    recordSent: (id, credits) => charges.recordSent(id, credits),
    recordAnswered: (id, credits) => charges.recordAnswered(id, credits),
    recordFailed: (id) => charges.recordFailed(id),
  };
}

/** Reserves the price of the site lookups. Throws `insufficient_credits` or `unavailable`. */
export async function reserveForSites(
  { sites }: Lookup,
  charges: LaterCharges | undefined,
): Promise<void> {
  const refusal = sites.price > 0 ? await charges?.reserve(sites.price) : undefined;
  if (refusal) throw refusal;
}

/** How an operation is paid. */
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

/** Opens the meter of an operation; undefined for a caller without a key. Rejects as `openMeter` does. */
export async function openMeterOf(
  plan: LookupPlan,
  { progress }: Lookup,
  { payer, work }: Payer,
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

/** Returns the work of the names that are looked up in the sandbox, in milliseconds. */
export function sandboxWorkOf(plan: LookupPlan, { progress }: Lookup): number {
  let ms = 0;
  for (const { target } of plan.rows) {
    if (!('query' in target) || !plan.isFree(target.query.name)) continue;
    if (progress.stored.has(target.query.name)) continue;
    ms += target.query.detail === 'verdict' ? workMs.sandboxVerdict : workMs.sandboxRecord;
  }
  return ms;
}

/** Returns the work of the values and the stored records of a response, in milliseconds. */
export function workOf({ objectValues }: Lookup): number {
  const { values, recordCharacters } = objectValues.spent;
  return workMs.values(values) + workMs.characters(recordCharacters);
}
