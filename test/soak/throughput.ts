// Measures the cached, charged responses per second of one, two and three nodes on one PostgreSQL:
// `node test/soak/throughput.ts [seconds]`. The load, the nodes and PostgreSQL share this machine's
// processors, so the CPU time per thousand responses, which is the same on any machine, is printed
// too.
import { cpus, loadavg } from 'node:os';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startFleetOfProcesses, type FleetNode } from '../support/gateways/fleet-of-processes.ts';
import { applyLoad } from '../support/requests/load.ts';
import { processTree, processorSeconds, postgresAt } from '../support/requests/processor-time.ts';
import { registered } from '../support/bodies/replies.ts';

const seconds = Number(process.argv[2] ?? 10);
const callers = 12;
const connectionsEach = 4;

await using registry = await startFakeRegistry();
registry.fallback(({ name }) => registered(name));

await using fleet = await startFleetOfProcesses({
  nodes: 3,
  registries: { example: registry.baseUrl },
});
const keys = await Promise.all(Array.from({ length: callers }, () => fleet.newKey()));
const postgres = postgresAt(new URL(fleet.storeUrl).port);
const load = (nodes: readonly FleetNode[], forSeconds: number) =>
  Promise.all(
    keys.map(({ key }, index) =>
      applyLoad({
        url: nodes[index % nodes.length]?.url ?? '',
        request: `GET /v1/status?domain=cached.example HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n\r\n`,
        seconds: forSeconds,
        connections: connectionsEach,
      }),
    ),
  );
for (const count of [1, 2, 3]) {
  const nodes = fleet.nodes.slice(0, count);
  await load(nodes, 3);
  const gateways = nodes.flatMap(({ pid }) => processTree(pid));
  const [before, databaseBefore] = [
    processorSeconds(gateways),
    processorSeconds(processTree(postgres)),
  ];
  const results = await load(nodes, seconds);
  const perSecond = results.reduce((sum, result) => sum + (result.perSecond['200'] ?? 0), 0);
  const per1000 = (spent: number) => Math.round((spent / (perSecond * seconds)) * 1e6);
  console.log({
    nodes: count,
    answersPerSecond: perSecond,
    medianMs: results[0]?.latencyMs['200']?.median,
    p99Ms: Math.max(...results.map(({ latencyMs }) => latencyMs['200']?.p99 ?? 0)),
    failures: results.flatMap(({ perSecond: each }) =>
      Object.entries(each).filter(([status]) => status !== '200'),
    ),
    gatewayMsPer1000: per1000(processorSeconds(gateways) - before),
    postgresMsPer1000: per1000(processorSeconds(processTree(postgres)) - databaseBefore),
    load: `${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors`,
  });
}
