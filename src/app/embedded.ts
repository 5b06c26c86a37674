import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { scheduleExpiry } from '../registries/cache/freshness.ts';
import type { Config } from '../config.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import { TimeSlices } from '../execution/time-slices.ts';
import { instrument } from '../metrics/instruments.ts';
import { inProcessRest } from '../api/rest/in-process.ts';
import { openAnswers, openWatches, keyValueBackoffs } from '../storage/open.ts';
import { memoryAccounts } from '../storage/sqlite/accounts.ts';
import { openTracing } from '../tracing/open.ts';
import type { Common } from './common.ts';
import { buildExecution } from './execution.ts';
import { buildSources } from './sources.ts';
import { buildWatches } from './watches.ts';
import { lookOnce } from '../watches/look-once.ts';
import type { NameState } from '../watches/observation.ts';
import type { StdioOptions } from '../api/mcp/stdio.ts';
import { maxInputs } from './settings.ts';

/** Nothing can request metrics. */
const noMetrics = {
  count: () => undefined,
  observe: () => undefined,
  registerReader: () => undefined,
};

/** A running gateway reloads the list of registries daily, too. */
const bootstrapIntervalMs = 24 * 60 * 60 * 1000;

/**
 * Opens execution in this process: without a server, keys and credits, but with the same sources and
 * the answer store at `STORE_URL`. Rejects with `StoreOpenError`, or with `ConfigError` for invalid
 * settings.
 */
export async function openEmbedded(config: Config, { clock, log }: Pick<Common, 'clock' | 'log'>) {
  await using disposables = new AsyncDisposableStack();
  const answers = disposables.adopt(openAnswers(config.STORE_URL, log), (open) => open.close());
  disposables.defer(scheduleExpiry(answers, config.RECORD_DAYS, clock, log));

  const instruments = instrument(noMetrics, clock);
  const tracing = await openTracing(clock);
  const common = { config, clock, log, instruments, tracing, disposables };
  const sources = await buildSources(
    common,
    { answers, backoffs: keyValueBackoffs(answers, clock) },
    bootstrapIntervalMs,
  );

  // Never used, as there is no caller with a key.
  const accounts = memoryAccounts({ clock, freeCredits: 0 });
  const ledger = disposables.adopt(accounts, (open) => open.close());
  const execution = buildExecution(common, sources, ledger, new TimeSlices());
  const opened = disposables.move();

  return {
    execution,
    directory: sources.directory,
    /** The REST API without HTTP. */
    fetch: inProcessRest(execution, maxInputs(config), clock),
    /** Settles after the first attempts to load the TLDs, or after two seconds. Never rejects. */
    settled: sources.settled,
    /** Opens the watches of this process, which looks at names that are due. Call it at most once. */
    openWatches: async () => {
      const database = opened.adopt(await openWatches(config.STORE_URL), (open) => open.close());
      const stores = { watches: database, accounts };
      const parts = { ...common, disposables: opened };
      return opened.adopt(await buildWatches(parts, stores, sources, { ledger }), (open) =>
        open.stop(),
      );
    },
    /** Looks at watched names, whose states the caller keeps. */
    lookOnce: async (names: readonly DomainName[], states: Readonly<Record<string, object>>) => {
      await sources.settled;
      const { directory } = sources;
      return lookOnce(names, states as Record<string, NameState>, { directory, clock });
    },
    /** Resolves to whether the network cannot be reached, within a second if that is certain. */
    isOffline: () => sources.network.isOffline(outsideHosts(config)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns hosts that can be found wherever lookups work: those of IANA and of .com, or the proxy. */
function outsideHosts({ OUTBOUND_PROXY: proxy, RDAP_BOOTSTRAP_URL: bootstrap }: Config) {
  if (proxy) return [proxy.hostname];
  return bootstrap.startsWith('file:') ? [] : [new URL(bootstrap).hostname, 'rdap.verisign.com'];
}

/**
 * Serves MCP over two streams with lookups in this process. Resolves when the client has closed
 * `input`. Rejects with `StoreOpenError`, or with `ConfigError` for invalid settings.
 */
export async function serveEmbeddedMcp(
  config: Config,
  {
    clock,
    log,
    ...stdio
  }: Pick<Common, 'clock' | 'log'> & Pick<StdioOptions, 'version' | 'input' | 'output'>,
): Promise<void> {
  const [{ serveMcpOverStdio }, { mcpTools }, { changeEvents }] = await Promise.all([
    import('../api/mcp/stdio.ts'),
    import('./tools.ts'),
    import('../watches/mcp-events.ts'),
  ]);
  await using embedded = await openEmbedded(config, { clock, log });
  await embedded.settled;

  const limits = { maxLookups: config.MAX_LOOKUPS, maxInputs: maxInputs(config) };
  await serveMcpOverStdio({
    execution: embedded.execution,
    tools: mcpTools({ limits, directory: embedded.directory }),
    events: changeEvents(await embedded.openWatches(), clock, { watchesDomain: true }),
    onServerFault: ({ cause, message }) => console.error(cause ?? message),
    ...stdio,
  });
}
