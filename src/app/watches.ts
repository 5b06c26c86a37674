import type { Stores } from '../storage/open.ts';
import { Observer } from '../watches/observer.ts';
import { Watches } from '../watches/watches.ts';
import type { Accounts } from './accounts.ts';
import type { Common } from './common.ts';
import type { Sources } from './sources.ts';

/** Builds the watches of names, and starts to look at those that are due. */
export async function buildWatches(
  { config, clock, log, disposables }: Common,
  stores: Stores,
  { directory, dns, watchIntervalOf }: Sources,
  { ledger }: Accounts,
): Promise<Watches> {
  const database = stores.watches;
  const watches = new Watches({ database, ledger, directory, clock, onDue: () => observer.wake() });
  const { log: changes, names } = watches;
  const observer = disposables.adopt(
    new Observer({
      database,
      changes,
      names,
      accounts: stores.accounts,
      directory,
      zone: dns,
      dnsFirst: config.DNS_FIRST,
      intervalOf: watchIntervalOf,
      changeDays: config.CHANGE_DAYS,
      clock,
      log,
    }),
    (open) => open.stop(),
  );
  await changes.open();
  observer.wake();
  return watches;
}
