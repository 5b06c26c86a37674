// Appends changes of a name and delivers them: `node test/support/stores/delivering-process.ts STORE ROUND`.
// STORE is a URL of PostgreSQL or the path of a file. Prints the id of each change that is in the log.
// Each round is an hour later than the one before, so that the claims of a killed process have ended.
import { systemClock } from '../../../src/clock.ts';
import { createLog } from '../../../src/log.ts';
import { openPostgresDatabase } from '../../../src/storage/postgres/database.ts';
import { postgresSql } from '../../../src/storage/postgres/open.ts';
import { openSqlFile } from '../../../src/storage/sqlite/sql-file.ts';
import { Watches } from '../../../src/watches/watches.ts';
import { WebhookSender } from '../../../src/watches/webhooks/webhook-sender.ts';

const [store = '', round = '0'] = process.argv.slice(2);
const log = createLog('silent');
const clock = { ...systemClock, now: () => systemClock.now() + Number(round) * 3_600_000 };
const database = store.startsWith('postgres:')
  ? postgresSql(await openPostgresDatabase(store, log, 10_000))
  : await openSqlFile(store);
const sender = new WebhookSender({ allow: ['localhost'], proxy: undefined, userAgent: 'x', clock });
const watches = new Watches({
  database,
  ledger: undefined as never,
  directory: { resolve: () => ({}) } as never,
  clock,
  onDue: () => undefined,
  sender,
  log,
  instruments: { change: () => undefined, webhookDelivery: () => undefined },
});
await watches.changeLog.open();
watches.deliverer.start();
for (;;) {
  const now = clock.now();
  const difference = {
    type: 'EXPIRY',
    notBefore: now,
    seenAt: now,
    before: {},
    after: {},
  } as const;
  await database.transaction((query) =>
    watches.changeLog.append(query, 'a.example', [{ ...difference, evidence: null }]),
  );
  watches.changeLog.announce();
  console.log(await watches.head());
}
