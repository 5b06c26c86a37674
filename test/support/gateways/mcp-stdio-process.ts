// Serves MCP over stdio with lookups in this process, for `test/api/mcp/stdio.test.ts`.
// The argument is the URL of a bootstrap document.
import { buildExecution } from '../../../src/app/execution.ts';
import { mcpTools } from '../../../src/app/tools.ts';
import { buildSources } from '../../../src/app/sources.ts';
import { buildWatches } from '../../../src/app/watches.ts';
import { fastClock } from '../time/fast-clock.ts';
import { readConfig } from '../../../src/config.ts';
import { serveMcpOverStdio } from '../../../src/api/mcp/stdio.ts';
import { TimeSlices } from '../../../src/execution/time-slices.ts';
import { createLog } from '../../../src/log.ts';
import { instrument } from '../../../src/metrics/instruments.ts';
import { Metrics } from '../../../src/metrics/metrics.ts';
import { openStores } from '../../../src/storage/open.ts';
import { changeEvents } from '../../../src/watches/mcp-events.ts';
import { Tracing } from '../../../src/tracing/tracing.ts';
import { sourcesWithoutDns } from './gateway-process.ts';

// The names of the sandbox change within seconds.
const clock = fastClock(Number(process.argv[3] ?? 1));
await using disposables = new AsyncDisposableStack();
const config = readConfig({
  STORE_URL: 'memory:',
  RDAP_BOOTSTRAP_URL: process.argv[2] ?? '',
  RDAP_ALLOW_PRIVATE: 'true',
  RDAP_CONCURRENCY: '2',
  SOURCES_FILE: sourcesWithoutDns,
});
const log = createLog('silent');
const metrics = new Metrics();
const instruments = instrument(metrics, clock);
const tracing = new Tracing(clock);
const stores = disposables.adopt(
  await openStores(config.STORE_URL, { clock, freeCredits: 0 }, log),
  (opened) => opened.close(),
);
const common = { config, clock, log, metrics, instruments, tracing, disposables };
const sources = await buildSources(common, stores);
const watches = await buildWatches(common, stores, sources, { ledger: stores.accounts });
await sources.settled;
await serveMcpOverStdio({
  execution: buildExecution(common, sources, stores.accounts, new TimeSlices()),
  tools: mcpTools({ limits: { maxLookups: 500, maxInputs: 2000 }, directory: sources.directory }),
  events: changeEvents(watches, clock, { watchesDomain: true }),
  version: '1.2.3',
  input: process.stdin,
  output: process.stdout,
  onServerFault: (problem) => console.error(problem.cause),
});
