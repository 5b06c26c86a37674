import type { RdapOptions } from '../sources/rdap/rdap-source.ts';
import { parserErrorsTo } from '../sources/rdap/parser-errors.ts';
import type { ThrottleOptions } from '../sources/throttled.ts';
import type { Client } from '../sources/rdap/http/client.ts';
import type { Stores } from '../storage/open.ts';
import { Backoffs } from '../throttle/backoffs.ts';
import { hostLimits, readHostLimits } from '../throttle/host-limits.ts';
import { HostQueues } from '../throttle/host-queues.ts';
import { MeasuredQueues } from '../throttle/queue-metrics.ts';
import { SendPriority } from '../throttle/send-priority.ts';
import type { Common } from './common.ts';
import { readSetting } from './settings.ts';

/** The queues of all hosts. */
export interface Throttle {
  readonly hostQueues: HostQueues;
  readonly queues: MeasuredQueues;
}

/** Builds the queues, with the limits that the operator set and the back-offs that are stored. */
export async function buildThrottle(
  { config, clock, log, reports, parts }: Common,
  { backoffs: store }: Stores,
): Promise<Throttle> {
  const ownLimits = await readSetting('RDAP_LIMITS', config.RDAP_LIMITS, readHostLimits, {});
  const limitsOf = hostLimits(
    ownLimits,
    { rate: config.RDAP_RATE, concurrency: config.RDAP_CONCURRENCY },
    config.CLUSTER_SIZE,
  );
  const backoffs = parts.adopt(new Backoffs(store, clock, log), (open) => open.stop());
  await backoffs.start();
  const hostQueues = new HostQueues({ limitsOf, clock, backoffs });
  return { hostQueues, queues: new MeasuredQueues(hostQueues, clock, reports.exchanges) };
}

/** What a source needs to query a server. */
export type QueryOptions = RdapOptions & ThrottleOptions;

export function queryOptions(
  { config, clock, log, reports }: Common,
  client: Client,
  { queues }: Throttle,
): QueryOptions {
  return {
    client,
    clock,
    timeoutMs: config.RDAP_TIMEOUT_MS,
    sendPriority: new SendPriority(clock),
    onParserError: parserErrorsTo(log),
    onUnrecognized: reports.unrecognizedNotFound,
    queueOf: (url) => queues.registry(url),
    redirectQueueOf: (url) => queues.redirected(url),
  };
}
