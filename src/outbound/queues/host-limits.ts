import * as v from 'valibot';
import { isObject } from '../../shared/shapes.ts';
import table from './published-limits.json' with { type: 'json' };

/** The limits of this node for one host. */
export interface HostLimits extends RateLimits {
  /** Maximum requests in flight. */
  readonly concurrency: number;
  /** What watches may use of the limits; absent = as much as others. */
  readonly watch?: Pick<RateLimits, 'rate' | 'burst'> & { readonly share: number };
}

interface RateLimits {
  /** Sustained requests per second; 0 = no limit. */
  readonly rate: number;
  /** Maximum requests at once after a pause. */
  readonly burst: number;
  /** Maximum requests in any 24 hours; absent = no limit. */
  readonly perDay?: number | undefined;
}

/** The default burst, in seconds of the rate. */
const defaultBurstSeconds = 5;

/** Limits published by registries, with their source. The defaults apply to all other hosts. */
const publishedLimits: Readonly<Record<string, RateLimits>> = table;

/** Limits for a WHOIS server. Most operators publish none. */
const whoisLimits: HostLimits = { rate: 0.5, burst: 1, concurrency: 1 };

/**
 * Minimum limits for the servers of one parent zone. No operator publishes any; NSD answers 200
 * queries per second by default.
 */
const zoneLimits: HostLimits = { rate: 20, burst: 50, concurrency: 10 };

const limitsSchema = v.strictObject({
  rate: v.pipe(v.number(), v.finite(), v.minValue(0)),
  burst: v.optional(v.pipe(v.number(), v.finite(), v.minValue(1))),
  perDay: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
});

const expectedForm =
  'it does not have the form {"rdap.example":{"rate":2,"burst":60,"perDay":1000}}';

/**
 * Parses the file of `RDAP_LIMITS`: host → `{rate, burst, perDay}`. Throws an Error that describes
 * what is invalid.
 */
export function parseHostLimits(document: unknown): Readonly<Record<string, RateLimits>> {
  if (!isObject(document)) throw new Error(expectedForm);
  return Object.fromEntries(
    Object.entries(document).map(([host, limits]) => {
      if (!isHost(host))
        throw new Error(`"${host}" is not a host such as rdap.example or rdap.example:8443`);
      const { success, output } = v.safeParse(limitsSchema, limits);
      if (!success) throw new Error(expectedForm);
      const { rate, burst = burstOf(rate), perDay } = output;
      return [host.toLowerCase(), { rate, burst, perDay }];
    }),
  );
}

/**
 * Returns whether a text is a host as `URL.host` returns it: in A-labels and without the default
 * port.
 */
function isHost(text: string): boolean {
  const url = `https://${text}`;
  return URL.canParse(url) && new URL(url).host === text.toLowerCase();
}

/**
 * Returns a function that returns this node's share of the limits of a host: those the operator
 * configured, else the published ones, else the defaults. Registries count requests per address, so
 * the nodes behind one address share the limits.
 */
export function hostLimits(
  configured: Readonly<Record<string, RateLimits>>,
  defaults: { readonly rate: number; readonly concurrency: number },
  clusterSize: number,
  watches: WatchLimits = defaultWatchLimits,
): (url: Pick<URL, 'protocol' | 'host'>) => HostLimits {
  // With a share of less than one request, a node could never send.
  const share = (requests: number) => Math.max(1, Math.floor(requests / clusterSize));
  const defaultLimits = { ...defaults, burst: burstOf(defaults.rate) };
  const limitsByProtocol: Readonly<Record<string, HostLimits>> = {
    // The DNS must keep up with the registries whose answers it confirms.
    'dns:':
      defaults.rate > 0 && defaults.rate <= zoneLimits.rate
        ? zoneLimits
        : { ...defaultLimits, concurrency: zoneLimits.concurrency },
    'whois:': whoisLimits,
  };

  return (url) => {
    const host = url.protocol === 'dns:' ? 'dns' : url.host;
    const { rate, burst, perDay, concurrency } = {
      perDay: undefined,
      ...(limitsByProtocol[url.protocol] ?? defaultLimits),
      ...publishedLimits[host],
      ...configured[host],
    };

    return {
      rate: rate / clusterSize,
      burst: share(burst),
      concurrency: share(concurrency),
      ...(perDay !== undefined && { perDay: share(perDay) }),
      // The zone of a name has many servers, and DNS queries cost them little.
      ...(url.protocol !== 'dns:' && { watch: watchLimitsOf(host, rate, watches, clusterSize) }),
    };
  };
}

/** Where a host has no limit of ours, a share of ten requests per second counts. */
function watchLimitsOf(
  host: string,
  rate: number,
  { share, perHour }: WatchLimits,
  clusterSize: number,
): NonNullable<HostLimits['watch']> {
  const ofAll = Math.min((rate === 0 ? 10 : rate) * share, (perHour?.[host] ?? Infinity) / 3600);
  const own = ofAll / clusterSize;
  return { rate: own, burst: Math.max(1, own * watchBurstSeconds), share };
}

/** Due names are read every ten seconds. */
const watchBurstSeconds = 10;

/** What watches may use of the limits of hosts. */
export interface WatchLimits {
  /** Share of the rate and of the requests per day that watches may use, from 0 to a quarter. */
  readonly share: number;
  /** Requests per hour, by host. */
  readonly perHour?: Readonly<Record<string, number>> | undefined;
}

const defaultWatchLimits: WatchLimits = { share: 0.25 };

function burstOf(rate: number): number {
  return Math.max(1, rate * defaultBurstSeconds);
}
