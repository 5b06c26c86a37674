import type { Clock } from '../clock.ts';
import type { FairSlots } from '../outbound/queues/fair-slots.ts';
import type { Resolve } from '../outbound/public-address.ts';
import { createSiteDispatcher } from '../outbound/dispatcher.ts';
import type { SiteServerOf } from '../outbound/dispatcher.ts';
import { siteAddress } from './site-address.ts';
import type { SiteClient } from './site-client.ts';
import { SiteGet } from './site-get.ts';

export interface SiteClientOptions {
  readonly serverOf: SiteServerOf;
  /** The slots of requests, which other readers of sites share. */
  readonly slots: Pick<FairSlots, 'acquire'>;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Resolves the hosts for which `serverOf` returns undefined. It must not use threads, as `dns.lookup` does. */
  readonly resolve: Resolve;
}

/** A client that owns its sockets. */
export interface ClosableSiteClient extends SiteClient {
  /** Aborts the requests in flight and closes all sockets. Later requests fail. */
  destroy(): Promise<void>;
}

/** Creates a client of sites. */
export function createSiteClient(options: SiteClientOptions): ClosableSiteClient {
  const { serverOf, slots, userAgent, clock, resolve } = options;
  const pools = createSiteDispatcher({
    serverOf: (host, port) => (port === 80 || port === 443 ? serverOf(host, port) : undefined),
    resolve,
  });
  const addressOf = ({ hostname, protocol }: URL) =>
    siteAddress(hostname, protocol === 'https:' ? 443 : 80, options);
  return {
    get: (url, request, getOptions) =>
      new SiteGet({ pools, slots, addressOf, clock, userAgent }, request, getOptions).run(url),
    destroy: () => pools.destroy(),
  };
}
