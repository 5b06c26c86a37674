import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { ReadFact, SiteQuery, SiteRequest } from '../site-facts.ts';
import type { SiteServerOf } from '../../outbound/dispatcher.ts';
import type { TlsScan } from './tls-scan.ts';
import type { Resolve } from '../../outbound/public-address.ts';
import { Scan, scanTimeoutMs } from './scan.ts';

export interface TlsReaderOptions {
  readonly serverOf: SiteServerOf;
  readonly clock: Clock;
  /** Replaces `dns.lookup`. */
  readonly resolve?: Resolve;
  /**
   * Waits for a slot of the site. Returns a function that releases it; undefined if the queue
   * deadline or the signal ends the wait.
   */
  readonly acquireSlot: (host: string, request: SiteRequest) => Promise<(() => void) | undefined>;
}

/**
 * Creates the reader of what a server offers over TLS at port 443. It rejects with
 * `site_unreachable`, `site_blocked` or `site_timeout` if no handshake completes.
 */
export function tlsReader(options: TlsReaderOptions): ReadFact<TlsScan> {
  return async (query, request) => {
    const { host } = query.target;
    const release = await options.acquireSlot(host, request);
    if (!release) throw neverSent(host);

    try {
      return await scanInTime(options, query, request);
    } finally {
      release();
    }
  };
}

async function scanInTime(
  { serverOf, clock, resolve }: TlsReaderOptions,
  { target: { host }, profile = 'standard' }: SiteQuery,
  request: SiteRequest,
): Promise<TlsScan> {
  if (request.signal.aborted || clock.now() > request.queueDeadline) throw neverSent(host);

  const deadline = new AbortController();
  const cancelTimer = clock.after(scanTimeoutMs, () => deadline.abort());
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  const { onSent } = request;
  try {
    const scan = new Scan({ host, profile, serverOf, resolve, clock, signal, onSent });
    const result = await scan.run();
    // No caller waits for it, and it is not complete.
    if (request.signal.aborted)
      throw new Problem('site_timeout', `The scan of ${host} was aborted.`);
    return result;
  } finally {
    cancelTimer();
  }
}

function neverSent(host: string): Problem {
  return new Problem('site_timeout', `${host} could not be contacted in time.`);
}
