// Time to the first and the last of 300 rows, with the registries' own latency beside it: `node test/bench/search.ts`. The registries take
// 20 ms and stand in a process of their own, as does the gateway. First 300 TLDs over 60 hosts with no rate; then every fourth TLD of IANA's
// list, its hosts in their proportions, under default settings: there the ideal is what the rate of the largest host allows.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBootstrap } from '../../src/registries/bootstrap.ts';
import table from '../../src/registries/bootstrap-table.json' with { type: 'json' };
import { bootstrapOf, writeBootstrap } from '../support/fake-bootstrap.ts';
import { startProcess } from '../support/gateway-process.ts';

const registryMs = 20;
/** RDAP_RATE, and a burst of five seconds' worth. */
const [rate, burst] = [10, 50];
/** RDAP_CONCURRENCY. */
const concurrency = 8;

/** Which host serves each TLD. */
type Plan = readonly (readonly [tld: string, host: number])[];

if (process.argv[2] === 'registries') await serveRegistries(Number(process.argv[3]));
else await measureAll();

async function measureAll(): Promise<void> {
  const even: Plan = Array.from({ length: 300 }, (_, index) => [`tld${index}`, index % 60]);
  await measure('300 TLDs over 60 hosts, no rate', even, { RDAP_RATE: '0' }, () => 0);
  const fourth = Array.from(readBootstrap(table)).filter((_, index) => index % 4 === 0);
  const hosts = [...new Set(fourth.map(([, { baseUrls }]) => new URL(baseUrls[0]).host))];
  const real: Plan = fourth.map(([tld, { baseUrls }]) => [tld, hosts.indexOf(new URL(baseUrls[0]).host)]);
  await measure(
    `${real.length} TLDs over ${hosts.length} hosts, default settings`,
    real,
    {},
    (names) => (Math.max(0, names - burst) / rate) * 1000,
  );
}

async function measure(what: string, plan: Plan, env: Record<string, string>, waitOf: (names: number) => number): Promise<void> {
  const count = new Set(plan.map(([, host]) => host)).size;
  const registries = fork(import.meta.filename, ['registries', String(count)]);
  const [ports] = (await once(registries, 'message')) as [number[]];
  const entries = plan.map(([tld, host]): [string, string] => [tld, `http://127.0.0.1:${ports[host]}/`]);
  await using file = await writeBootstrap(bootstrapOf(Object.fromEntries(entries)));
  const settings = { PORT: '0', STORE_URL: 'memory:', RDAP_BOOTSTRAP_URL: file.url, RDAP_ALLOW_PRIVATE: 'true', ...env };
  await using gateway = startProcess({ PATH: process.env['PATH'] ?? '', ...settings });
  const { url } = await gateway.logged('listening');
  const sizes = Array.from(Map.groupBy(plan, ([, host]) => host).values(), ({ length }) => length);
  const largest = Math.max(...sizes);
  const ideal = waitOf(largest) + registryMs * (waitOf(largest) > 0 ? 1 : Math.ceil(largest / concurrency));
  console.log(`${what}; the largest serves ${largest}`);
  console.log(`  ideal              first ${registryMs} ms, last ${ideal} ms`);
  print('asked directly', await askDirectly(entries));
  print('cold, first label', await search(url, 'first', plan));
  if (waitOf(largest) === 0) for (const label of ['second', 'third', 'fourth']) print(`${label} label`, await search(url, label, plan));
  print('the same, cached', await search(url, 'first', plan));
  registries.kill();
}

/** All at once, with nothing in between: what this machine can do. */
async function askDirectly(entries: readonly (readonly [tld: string, baseUrl: string])[]): Promise<readonly number[]> {
  const startedAt = performance.now();
  const all = entries.map(async ([tld, baseUrl]) => {
    await (await fetch(`${baseUrl}domain/direct.${tld}`)).text();
    return performance.now() - startedAt;
  });
  return Promise.all(all);
}

/** When each row came. */
async function search(url: string, label: string, plan: Plan): Promise<readonly number[]> {
  const query = 'subscription ($name: String, $tlds: [String!]) { availability(name: $name, tlds: $tlds) { domain available } }';
  const startedAt = performance.now();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables: { name: label, tlds: plan.map(([tld]) => tld) } }),
  });
  const times: number[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      if (event.includes('"available":null')) throw new Error(`a row that is not known: ${event}`);
      if (event.startsWith('event: next')) times.push(performance.now() - startedAt);
    }
  }
  if (times.length !== plan.length) throw new Error(`${times.length} rows in place of ${plan.length}`);
  return times;
}

function print(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  console.log(`  ${what.padEnd(18)} first ${at(0)} ms, half ${at(0.5)} ms, last ${at(1)} ms`);
}

/** Half of the names are taken. */
async function serveRegistries(count: number): Promise<void> {
  const ports = Array.from({ length: count }, async () => {
    const server = createServer((request, response) => {
      const name = request.url?.split('/').at(-1) ?? '';
      const found = name.startsWith('nic.') || name.length % 2 === 0;
      const object = { objectClassName: 'domain', ldhName: name, status: ['active'] };
      const absent = { errorCode: 404, title: 'Not Found' };
      setTimeout(() => {
        response.writeHead(found ? 200 : 404, { 'content-type': 'application/rdap+json' }).end(JSON.stringify(found ? object : absent));
      }, registryMs);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  });
  process.send?.(await Promise.all(ports));
}
