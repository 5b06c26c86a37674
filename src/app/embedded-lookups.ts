import { scheduleExpiry } from '../cache/expiry.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { ParsedName } from '../domain/parsed-name.ts';
import type { Detail } from '../domain/source.ts';
import type { Log } from '../log.ts';
import { LookupPlan } from '../lookup/lookup-plan.ts';
import { Lookup } from '../lookup/lookup.ts';
import type { DomainRow } from '../lookup/row.ts';
import { instrument } from '../metrics/instruments.ts';
import { Metrics } from '../metrics/metrics.ts';
import { openAnswers } from '../storage/open.ts';
import { KeyValueBackoffs } from '../storage/key-value-backoffs.ts';
import { Tracing } from '../tracing/tracing.ts';
import { queueTimeouts } from './settings.ts';
import { buildSources, type Sources } from './sources.ts';

interface EmbeddedOptions {
  readonly clock: Clock;
  readonly log: Log;
}

interface LookupRequirements {
  readonly detail: Detail;
  readonly maxAge: number | undefined;
}

const fieldKey = 'names';

/** Lookups in this process: without a server, keys and credits, but with the same sources. */
export class EmbeddedLookups implements AsyncDisposable {
  readonly #config: Config;
  readonly #clock: Clock;
  readonly #sources: Sources;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    config: Config,
    clock: Clock,
    sources: Sources,
    resources: AsyncDisposableStack,
  ) {
    this.#config = config;
    this.#clock = clock;
    this.#sources = sources;
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
    const sources = await buildSources(
      { config, clock, log, metrics, instruments, tracing, disposables },
      { answers, backoffs: new KeyValueBackoffs(answers, clock) },
    );
    return new EmbeddedLookups(config, clock, sources, disposables.move());
  }

  /**
   * Looks up distinct names. Yields their rows in the order in which the lookups complete. A failed
   * lookup is a row, too.
   */
  async *lookUp(
    names: readonly ParsedName[],
    { detail, maxAge }: LookupRequirements,
  ): AsyncGenerator<DomainRow, void, void> {
    const { directory, registrars, settled } = this.#sources;
    if (!names.every(({ domain }) => domain.endsWith('.test'))) await settled;
    const priority = names.length === 1 ? 'single' : 'search';
    const plan = new LookupPlan([{ key: fieldKey, names, maxAge, detail, priority }], directory);
    const queueTimeoutMs = queueTimeouts(this.#config).streaming;
    const queueDeadline = this.#clock.now() + queueTimeoutMs;
    const { signal } = new AbortController();
    const lookup = new Lookup(plan, {
      registrars,
      clock: this.#clock,
      onOutcome: () => undefined,
      request: () => ({ signal, account: 'embedded', queueDeadline }),
      queueTimeoutMs,
    });
    await lookup.readCache();
    yield* lookup.rowsInCompletionOrder(fieldKey);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync();
  }
}
