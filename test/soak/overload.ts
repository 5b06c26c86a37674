// Ten times more than the gateway can answer: `node test/soak/overload.ts [seconds] [names a request]`. Prints what is answered and refused
// before, meanwhile and after, how long `/health` takes, and what memory the gateway's process takes. Judge ratios: the load comes from the
// same machine.
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { bootstrapOf, writeBootstrap } from '../support/fake-bootstrap.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { startProcess } from '../support/gateway-process.ts';
import { putLoad } from '../support/load.ts';
import { probeHealth } from '../support/probe.ts';
import { registered } from '../support/replies.ts';

const seconds = Number(process.argv[2] ?? 60);
const names = Array.from({ length: Number(process.argv[3] ?? 20) }, (_, index) => `kept${index}.example`);

await using registry = await startFakeRegistry();
registry.fallback(({ name }) => registered(name));
await using bootstrap = await writeBootstrap(bootstrapOf({ example: registry.baseUrl }));
const settings = {
  PORT: '0',
  STORE_URL: 'memory:',
  RDAP_BOOTSTRAP_URL: bootstrap.url,
  RDAP_ALLOW_PRIVATE: 'true',
  RATE_LIMIT: '0',
  MAX_TLDS: '500',
};
await using gateway = startProcess(settings);
const { url } = await gateway.logged('listening');

const path = `/v1/status?max_age=2592000&domain=${names.join(',')}`;
await fetch(url + path);
const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
console.log(`${names.length} names a request; ${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`);
const quick = Math.min(5, seconds);

async function measure(when: string, load: { seconds: number; connections: number; rate?: number }): Promise<number> {
  const before = processorSeconds();
  const [answered, health] = await Promise.all([putLoad({ url, request, ...load }), probeHealth(url, load.seconds)]);
  console.log(
    when,
    JSON.stringify({ ...answered, healthMs: health.latencyMs['200'], memoryMb: memoryMb(), processorShare: share(before, load.seconds) }),
  );
  return answered.perSecond['200'] ?? 0;
}

/** Of one processor: where others want it too, the gateway gets less than it could use. */
function share(before: number, during: number): number {
  return Math.round(((processorSeconds() - before) / during) * 100) / 100;
}

function processorSeconds(): number {
  const [, , , , , , , , , , , , , user, system] = readFileSync(`/proc/${gateway.pid}/stat`, 'utf8').split(' ');
  return (Number(user) + Number(system)) / 100;
}

function memoryMb(): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

await measure('warm-up', { seconds: quick, connections: 4 });
const capacity = await measure('before', { seconds: quick, connections: 4 });
const goodput = await measure('ten times as much', { seconds, connections: 1000, rate: capacity * 10 });
await measure('after', { seconds: quick, connections: 4 });
console.log(`goodput under overload: ${Math.round((goodput / capacity) * 100)} % of ${capacity}/s`);
