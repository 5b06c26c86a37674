import {
  nsRecords,
  rcodes,
  soaRecord,
  startFakeDnsServer,
  type FakeDnsQuery,
} from '../../support/servers/fake-dns-server.ts';
import { serveParent } from '../part.ts';
import { isTaken } from './registries.ts';
import type { ZonesReady } from './zones.ts';

const [minLatencyMs, maxLatencyMs] = [10, 30];
const authoritative = 0x400;
const servers = await Promise.all(
  ['127.0.0.1', '127.0.0.2'].map((address) => startFakeDnsServer(() => answerLater, address)),
);
let counted = 0;
serveParent(
  { servers: servers.map(({ address, port }) => `${address}:${port}`) } satisfies ZonesReady,
  () => {
    const total = servers.reduce((sum, { queries }) => sum + queries.length, 0);
    const sinceLastCount = total - counted;
    counted = total;
    return sinceLastCount;
  },
);

function answerLater(query: FakeDnsQuery): void {
  const latencyMs = minLatencyMs + Math.random() * (maxLatencyMs - minLatencyMs);
  setTimeout(() => sendAnswer(query), latencyMs);
}

/** With `controls`, also names that prove that the servers tell names apart. */
const delegated = process.argv[2] === 'controls' ? /^(?:mostly|held|nic\.)/ : /^mostly/;

/** Delegates the registered names of searches. */
function sendAnswer(query: FakeDnsQuery): void {
  if (delegated.test(query.name) && isTaken(query.name))
    query.send({ authorities: nsRecords(query.name) });
  else
    query.send({
      flags: authoritative,
      rcode: rcodes.nxDomain,
      authorities: [soaRecord(query.zone)],
    });
}
