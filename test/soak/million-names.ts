// Looks up a million names once each: `node test/soak/million-names.ts [names] [store]`. Prints the
// memory of the gateway's process while it runs.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startProcess } from '../support/gateways/gateway-process.ts';

const names = Number(process.argv[2] ?? 1_000_000);
const perCall = 100;
const concurrentCalls = 2;

// Not the fake registry, which would record a million requests.
const registry = createServer(({ url: path = '' }, response) => {
  response
    .setHeader('content-type', 'application/rdap+json')
    .end(JSON.stringify(domainObject(path.replace('/domain/', ''))));
}).listen(0, '127.0.0.1');
await once(registry, 'listening');
const { port } = registry.address() as AddressInfo;
await using bootstrap = await writeBootstrap(bootstrapOf({ example: `http://127.0.0.1:${port}/` }));
await using gateway = startProcess({
  PORT: '0',
  STORE_URL: process.argv[3] ?? 'memory:',
  RDAP_BOOTSTRAP_URL: bootstrap.url,
  RDAP_ALLOW_PRIVATE: 'true',
  RDAP_RATE: '0',
  RDAP_CONCURRENCY: '64',
  RATE_LIMIT: '0',
});
const { url } = await gateway.logged('listening');

let next = 0;
const unanswered = new Map<string, number>();

async function sendCalls(): Promise<void> {
  while (next < names) {
    const from = next;
    next += perCall;
    if (from % 50_000 === 0) console.log(from, 'names looked up', memoryMb(), 'MB');
    const domains = Array.from({ length: perCall }, (_, index) => `n${from + index}.example`);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/status/bulk`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ domains }),
    });
    const { results = [], code } = (await answer.json()) as {
      results?: { available: boolean | null; reason?: string }[];
      code?: string;
    };
    const reasons =
      code === undefined
        ? results.flatMap(({ available, reason }) => (available === null ? [String(reason)] : []))
        : [code];
    for (const reason of reasons) unanswered.set(reason, (unanswered.get(reason) ?? 0) + 1);
  }
}

function memoryMb(): number {
  const [, kilobytes] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

await Promise.all(Array.from({ length: concurrentCalls }, sendCalls));
console.log(
  names,
  'names looked up',
  memoryMb(),
  'MB; unanswered:',
  Object.fromEntries(unanswered),
);
registry.close();
