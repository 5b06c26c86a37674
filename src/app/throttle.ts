import { createParserErrorLogger } from '../registries/rdap/rdap-exchange.ts';
import { sourceKindOf } from '../domain/answer.ts';
import { maxUnverifiedPerNode } from '../registries/proof/canary-state.ts';
import type { QueryOptions } from '../registries/query-options.ts';
import type { HttpClient } from '../outbound/client.ts';
import type { LookupStores } from '../storage/open.ts';
import { Backoffs } from '../outbound/queues/backoffs.ts';
import { DailyUsage } from '../outbound/queues/daily-usage.ts';
import { InstrumentedQueues } from '../outbound/queues/instrumented-queues.ts';
import { hostLimits, parseHostLimits } from '../outbound/queues/host-limits.ts';
import { HostQueues } from '../outbound/queues/host-queues.ts';
import { SendPriority } from '../outbound/queues/send-priority.ts';
import type { Common } from './common.ts';
import { readSetting } from './settings.ts';

/** Builds the host queues with the configured limits, and the stored back-offs and daily use. */
export async function buildThrottle(
  { config, clock, log, instruments, disposables }: Common,
  { answers, backoffs: store }: LookupStores,
) {
  const configuredLimits = await readSetting(
    'RDAP_LIMITS',
    config.RDAP_LIMITS,
    parseHostLimits,
    {},
  );
  const limitsOf = hostLimits(
    configuredLimits,
    { rate: config.RDAP_RATE, concurrency: config.RDAP_CONCURRENCY },
    config.CLUSTER_SIZE,
    config.WATCH_LIMITS,
  );
  const backoffs = disposables.adopt(new Backoffs(store, clock, log), (open) => open.stop());
  await backoffs.start();

  const nodes = store.isShared ? config.CLUSTER_SIZE : 1;
  const dailyUsage = disposables.adopt(
    new DailyUsage({ store: answers, nodes, clock, log }),
    (open) => open.stop(),
  );
  await dailyUsage.start();

  const hostQueues = new HostQueues({ limitsOf, clock, backoffs, dailyUsage });
  const queues = disposables.adopt(
    new InstrumentedQueues(hostQueues, clock, instruments.hostRequests, log),
    (open) => open.stop(),
  );

  /** Returns the least time between two looks of watches at a host, in milliseconds. */
  const watchIntervalOf = (endpoint: string) =>
    1000 / (limitsOf(new URL(endpoint)).watch?.rate ?? Infinity);
  return { hostQueues, queues, watchIntervalOf };
}

/** Returns the dependencies of the sources that query servers through a client. */
export function queryOptions(
  { config, clock, log, tracing, instruments }: Common,
  client: HttpClient,
  queues: InstrumentedQueues,
): QueryOptions {
  return {
    client,
    clock,
    log,
    tracing,
    timeoutMs: config.RDAP_TIMEOUT_MS,
    allowPrivate: config.RDAP_ALLOW_PRIVATE,
    maxUnverified: maxUnverifiedPerNode(config.CLUSTER_SIZE),
    sendPriority: new SendPriority(clock),
    onParserError: createParserErrorLogger(log),
    onUnrecognized: instruments.unrecognizedNotFound,
    queueOf: (url) =>
      sourceKindOf(url) === 'dns' ? queues.zoneQueue(url) : queues.registryQueue(url),
    redirectQueueOf: (url) => queues.redirectQueue(url),
  };
}
