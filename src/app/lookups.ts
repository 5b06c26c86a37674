import { AsyncDisposableStack } from '@whatwg-node/disposablestack';
import { unlimitedWork } from '../accounts/work-limit.ts';
import { scheduleExpiry } from '../registries/cache/expiry.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createContextOpener, type Caller, type OpenContext } from '../execution/context.ts';
import type { ParsedName } from '../domain/parsed-name.ts';
import type { Log } from '../log.ts';
import type { FieldLookup } from '../lookup/lookup-plan.ts';
import { createNameCapacity } from '../lookup/name-capacity.ts';
import type { DomainRow } from '../lookup/row.ts';
import { instrument } from '../metrics/instruments.ts';
import { Metrics } from '../metrics/metrics.ts';
import { openAnswers } from '../storage/open.ts';
import { KeyValueBackoffs } from '../storage/key-value-backoffs.ts';
import { memoryAccounts } from '../storage/memory/accounts.ts';
import { Tracing } from '../tracing/tracing.ts';
import { queueTimeouts } from './settings.ts';
import { buildSources } from './sources.ts';

interface EmbeddedOptions {
  readonly clock: Clock;
  readonly log: Log;
}

type LookupRequirements = Pick<FieldLookup, 'detail' | 'maxAge' | 'confirm'>;

/** The user of this process: neither metered nor limited, and connected until it ends. */
const localCaller: Caller = {
  signal: () => new AbortController().signal,
  account: 'local',
  payer: undefined,
  work: unlimitedWork,
  onResponseClosed: () => undefined,
};

const fieldKey = 'names';

/** A running gateway reloads the list of registries daily, too. */
const bootstrapIntervalMs = 24 * 60 * 60 * 1000;

/** Lookups in this process: without a server, keys and credits, but with the same sources. */
export class EmbeddedLookups implements AsyncDisposable {
  readonly openContext: OpenContext;
  /** Settles after the first attempts to load the TLDs, or after two seconds. Never rejects. */
  readonly settled: Promise<unknown>;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    openContext: OpenContext,
    settled: Promise<unknown>,
    resources: AsyncDisposableStack,
  ) {
    this.openContext = openContext;
    this.settled = settled;
    this.#resources = resources;
  }

  /**
   * Opens the answer store at `STORE_URL` and builds the sources. Rejects with `StoreOpenError`, or
   * with `ConfigError` for invalid settings.
   */
  static async open(config: Config, { clock, log }: EmbeddedOptions): Promise<EmbeddedLookups> {
    await using disposables = new AsyncDisposableStack();
    const answers = disposables.adopt(openAnswers(config.STORE_URL, log), (open) => open.close());
    disposables.defer(scheduleExpiry(answers, config.RECORD_DAYS, clock, log));
    const metrics = new Metrics();
    const instruments = instrument(metrics, clock);
    const tracing = new Tracing(clock);
    const { directory, objects, registrars, catalogue, sites, settled } = await buildSources(
      { config, clock, log, metrics, instruments, tracing, disposables },
      { answers, backoffs: new KeyValueBackoffs(answers, clock) },
      bootstrapIntervalMs,
    );
    const openContext = createContextOpener({
      directory,
      objects,
      registrars,
      catalogue,
      sites,
      // Never used, as there is no caller with a key.
      ledger: disposables.adopt(memoryAccounts({ clock, freeCredits: 0 }), (open) => open.close()),
      log,
      clock,
      queueTimeouts: queueTimeouts(config),
      maxLookups: config.MAX_LOOKUPS,
      dnsFirst: config.DNS_FIRST,
      nameCapacity: createNameCapacity(),
      // No other request waits.
      openTurns: () => () => undefined,
      onOutcome: instruments.outcome,
      onObject: instruments.object,
      onSite: instruments.site,
    });
    return new EmbeddedLookups(openContext, settled, disposables.move());
  }

  /**
   * Looks up distinct names. Yields their rows in the order in which the lookups complete; a failed
   * lookup is a row, too. Throws `too_many_lookups`.
   */
  async *lookUp(
    names: readonly ParsedName[],
    requirements: LookupRequirements,
  ): AsyncGenerator<DomainRow, void, void> {
    // The sandbox is not among the TLDs that are loaded.
    if (!names.every(({ domain }) => domain.endsWith('.test'))) await this.settled;
    const priority = names.length === 1 ? 'single' : 'search';
    const fields = [{ key: fieldKey, names, priority, ...requirements } as const];
    const { lookup } = await this.openContext(fields, localCaller, 'streaming');
    yield* lookup.rowsInCompletionOrder(fieldKey);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
