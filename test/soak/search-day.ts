// Simulates a working day of searches, and counts the requests that the registries receive:
// `node test/soak/search-day.ts [searches] [seed]`. People type seven labels in a row under one set
// of TLDs; a quarter of the sessions are programs that let the registry confirm each name. The time is
// simulated: a day of 1,000 searches takes some minutes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ianaPlan, isTaken } from '../bench/registries.ts';
import { writeBootstrap } from '../support/fake-bootstrap.ts';
import { startFakeZone } from '../support/fake-zone.ts';
import { startGateway, type Json } from '../support/gateway.ts';
import { manualClock } from '../support/manual-clock.ts';
import { seededRandom } from '../support/random.ts';
import { notFound, registered } from '../support/replies.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

interface Search {
  /** Milliseconds since the start of the day. */
  readonly at: number;
  readonly label: string;
  readonly tlds: readonly string[];
  readonly confirm: 'ALL' | 'AVAILABLE';
}

const searches = Number(process.argv[2] ?? 1000);
const random = seededRandom(Number(process.argv[3] ?? 1));
const dayMs = 8 * 3_600_000;
const searchesPerSession = 7;
const maxPauseMs = 20_000;
const stepMs = 200;
const query =
  'query ($label: String!, $tlds: [String!], $confirm: Confirm!) { domains(name: $label, tlds: $tlds, confirm: $confirm) { available } }';

const clock = manualClock();
const plan = ianaPlan(300);
const tlds = plan.map(([tld]) => tld).toSorted(() => random.below(3) - 1);
const requests = new Map<number, number>();
let canaries = 0;

await using parts = new AsyncDisposableStack();
const baseUrls = new Map<number, string>();
for (const server of new Set(plan.map(([, each]) => each))) {
  const { baseUrl } = parts.use(
    await startScriptedServer(({ name }) => {
      requests.set(server, (requests.get(server) ?? 0) + 1);
      if (name.startsWith('nic.')) canaries += 1;
      return isTaken(name) ? registered(name) : notFound();
    }),
  );
  baseUrls.set(server, baseUrl);
}
const zone = parts.use(
  await startFakeZone((name) =>
    name.startsWith('mostly') && isTaken(name) ? 'delegated' : 'nxdomain',
  ),
);
const sources = parts.use(await writeBootstrap({ suffixes: { '': { dns: zone.servers } } }));
const gateway = parts.use(
  await startGateway({
    clock,
    registries: Object.fromEntries(plan.map(([tld, server]) => [tld, baseUrls.get(server) ?? ''])),
    env: { SOURCES_FILE: sources.path, RATE_LIMIT: '0' },
  }),
);

let available = 0;
let unknown = 0;
let slowest = 0;
const startedAt = clock.now();
for (const search of day()) {
  while (clock.now() - startedAt < search.at) {
    clock.advance(1000);
    await settle();
  }
  await run(search);
}
console.log({
  searches,
  requests: sum(requests.values()),
  'the busiest registry': Math.max(...requests.values()),
  canaries,
  available,
  'requests per available name': Number((sum(requests.values()) / available).toFixed(2)),
  unknown,
  'slowest search in simulated seconds': slowest / 1000,
  'DNS queries': zone.total,
});

function day(): readonly Search[] {
  return Array.from({ length: Math.ceil(searches / searchesPerSession) }, (_, session) => {
    const size = random.pick([20, 20, 60, 300]);
    const confirm = random.chance(0.25) ? ('ALL' as const) : ('AVAILABLE' as const);
    let at = random.below(dayMs);
    return Array.from({ length: searchesPerSession }, (__, index) => {
      at += 2000 + random.below(maxPauseMs);
      return { at, label: `mostly${session}x${index}`, tlds: tlds.slice(0, size), confirm };
    });
  })
    .flat()
    .toSorted((one, other) => one.at - other.at)
    .slice(0, searches);
}

async function run({ at: _at, ...variables }: Search): Promise<void> {
  const begunAt = clock.now();
  const answer: { rows?: readonly Json[] } = {};
  void gateway.graphql(query, variables).then(({ data, errors }) => {
    if (errors) throw new Error(JSON.stringify(errors));
    answer.rows = data.domains;
  });
  await settle();
  while (!answer.rows) {
    clock.advance(stepMs);
    await settle();
  }
  available += answer.rows.filter((row) => row.available === true).length;
  unknown += answer.rows.filter((row) => row.available === null).length;
  slowest = Math.max(slowest, clock.now() - begunAt);
}

/** Waits until the requests that were sent have been answered. */
async function settle(): Promise<void> {
  let before = -1;
  for (let quietTurns = 0; quietTurns < 4; quietTurns += 1) {
    const traffic = sum(requests.values()) + zone.total + clock.pending;
    if (traffic !== before) quietTurns = 0;
    before = traffic;
    await nextTurn();
  }
}

function sum(values: Iterable<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}
