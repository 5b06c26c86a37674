import type { Publishes } from '../domain/catalogue.ts';
import type { Stores } from '../storage/open.ts';
import { AccuracyLedger } from '../watches/accuracy-ledger.ts';
import { deliveryResults } from '../watches/webhooks/deliverer.ts';
import { HostSlots } from '../watches/host-slots.ts';
import { changeTypes } from '../watches/observation.ts';
import { Observer } from '../watches/observer.ts';
import { Watches } from '../watches/watches.ts';
import { WebhookSender } from '../watches/webhooks/webhook-sender.ts';
import type { Accounts } from './accounts.ts';
import { userAgent } from './clients.ts';
import type { Common } from './common.ts';
import { outboundProxy } from './settings.ts';
import type { Sources } from './sources.ts';

/** Builds the watches of names, and starts to look at those that are due and to deliver to webhooks. */
export async function buildWatches(
  { config, clock, log, instruments, disposables }: Common,
  stores: Pick<Stores, 'watches' | 'accounts'>,
  { directory, dns, watchIntervalOf, accuracy, publishedFields }: Sources,
  { ledger }: Pick<Accounts, 'ledger'>,
): Promise<Watches> {
  const database = stores.watches;
  const sender = disposables.adopt(
    new WebhookSender({
      allow: config.WEBHOOK_ALLOW,
      proxy: outboundProxy(config),
      userAgent,
      clock,
    }),
    (sockets) => sockets.destroy(),
  );
  const watches = new Watches({
    database,
    ledger,
    directory,
    clock,
    log,
    sender,
    onDue: () => observer.wake(),
    instruments,
  });

  // Every series exists from the start, so that its first increase is seen.
  for (const type of changeTypes) instruments.change(type, 0);
  for (const result of deliveryResults) instruments.webhookDelivery(result, 0);

  const { changeLog: changes, names } = watches;
  const slots = new HostSlots(watchIntervalOf, clock);
  const observer = disposables.adopt(
    new Observer({
      database,
      changes,
      names,
      accounts: stores.accounts,
      directory,
      zone: dns,
      dnsFirst: config.DNS_FIRST,
      slots,
      changeDays: config.CHANGE_DAYS,
      clock,
      log,
    }),
    (open) => open.stop(),
  );

  const accuracyLedger = disposables.adopt(
    new AccuracyLedger({
      share: config.ACCURACY_SAMPLE,
      sample: accuracy,
      isDated: (tld) => publishesDates(publishedFields.of(tld)),
      database,
      directory,
      slots,
      random: Math.random,
      clock,
      log,
    }),
    (open) => open.stop(),
  );

  await changes.open();
  accuracyLedger.start();
  observer.wake();
  watches.deliverer.start();

  return watches;
}

/** Returns whether a registry publishes when names were registered, unless it is known not to. */
function publishesDates({ documented, observed }: Publishes): boolean {
  return documented.created ?? observed().shares.created !== 0;
}
