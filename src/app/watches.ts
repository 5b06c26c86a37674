import type { Stores } from '../storage/open.ts';
import { Watches } from '../watches/watches.ts';
import type { Accounts } from './accounts.ts';
import type { Common } from './common.ts';
import type { Sources } from './sources.ts';

/** Builds the watches of names. */
export async function buildWatches(
  { clock }: Common,
  stores: Stores,
  { directory }: Sources,
  { ledger }: Accounts,
): Promise<Watches> {
  const watches = new Watches({
    database: stores.watches,
    ledger,
    directory,
    clock,
    onDue: () => undefined,
  });
  await watches.log.open();
  return watches;
}
