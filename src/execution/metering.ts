import { nameCharges, type Charges } from '../accounts/charges.ts';
import type { IdempotencyRecord } from '../accounts/idempotency.ts';
import { prices } from '../accounts/prices.ts';
import { workMs } from '../accounts/work-limit.ts';
import type { LookupPlan } from '../lookup/lookup-plan.ts';
import type { Lookup } from '../lookup/lookup.ts';
import type { ObjectMeter } from '../lookup/object-lookups.ts';

/** Returns what charges for objects. */
export function objectMeter(charges: Charges): ObjectMeter {
  const price = prices.object(1);
  return {
    reserve: (objects) => charges.reserve(prices.object(objects)),
    recordSent: (key) => charges.recordSent(key, price),
    recordAnswered: (key) => charges.recordAnswered(key, price),
  };
}

/** Reserves the price of an operation. Rejects as `Charges.open` does. */
export async function openCharges(
  charges: Charges,
  plan: LookupPlan,
  { progress, sites }: Lookup,
  idempotencyRecord: IdempotencyRecord | undefined,
  isStored: boolean,
): Promise<void> {
  const isFree = plan.isFree.bind(plan);
  const names = nameCharges({ fields: plan.fields, isFree, progress, idempotencyRecord });
  await charges.open(names, sites.price, isStored && !idempotencyRecord);
}

/** Returns the work of the names that are looked up in the sandbox, in milliseconds. */
export function sandboxWorkOf(plan: LookupPlan, { progress }: Lookup): number {
  let ms = 0;
  for (const { target } of plan.rows) {
    if (!('query' in target)) continue;
    const { ascii } = target.query.name;
    if (!plan.isFree(ascii) || progress.stored.has(ascii)) continue;
    ms += target.query.detail === 'verdict' ? workMs.sandboxVerdict : workMs.sandboxRecord;
  }
  return ms;
}

/** Returns the work of the values and the stored records of a response, in milliseconds. */
export function workOf({ objectValues }: Lookup): number {
  const { values, recordCharacters } = objectValues.spent;
  return workMs.values(values) + workMs.characters(recordCharacters);
}
