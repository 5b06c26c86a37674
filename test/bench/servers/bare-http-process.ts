import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generateKey, hashOf } from '../../../src/accounts/api-key.ts';
import { systemClock } from '../../../src/clock.ts';
import { openSqliteAccounts } from '../../../src/storage/sqlite/accounts.ts';
import { serveParent } from '../part.ts';

/** The fixed response of this server, which measures the cost of Node's HTTP server alone. */
export interface BareAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

let answer: BareAnswer = { headers: {}, body: '' };
const [folder] = process.argv.slice(2);
const charge = folder === undefined ? undefined : await openLedger(folder);
const server = createServer((_request, response) => {
  const send = () => void response.writeHead(200, answer.headers).end(answer.body);
  if (charge) void charge().then(send);
  else send();
});
server.listen(0, '127.0.0.1', () =>
  serveParent<BareAnswer>((server.address() as AddressInfo).port, (next) => void (answer = next)),
);

/** Opens a ledger like that of the gateway. Returns what commits a charge to disk. */
async function openLedger(path: string): Promise<() => Promise<unknown>> {
  const options = { clock: systemClock, freeCredits: 1e12 };
  const store = await openSqliteAccounts(join(path, 'ledger.db'), options);
  const plan = { name: 'Bench', credits: null, origins: [] };
  const { id } = await store.create(plan, hashOf(generateKey()));
  return () => store.charge(id, 1);
}
