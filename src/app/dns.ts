import type { KnownSources } from '../registries/directory/suffix-sources.ts';
import { keyOf, type Source } from '../domain/source.ts';
import { sampleNames } from '../registries/proof/canary-names.ts';
import { DnsSource } from '../registries/dns/dns-source.ts';
import { ThrottledSource } from '../registries/throttled.ts';
import type { Common } from './common.ts';
import type { QueryOptions } from './throttle.ts';

/** Builds the DNS source, with one queue per parent zone. */
export function buildDns(
  { config, clock, log, tracing }: Common,
  known: () => KnownSources,
  query: QueryOptions,
): DnsSource {
  return new DnsSource({
    clock,
    log,
    serversOf: (suffix) =>
      known()
        .settings.of(suffix)
        .dns?.map(({ host, port }) => ({ address: host, port })),
    allowPrivate: config.RDAP_ALLOW_PRIVATE,
    throttled: (zone) => new ThrottledSource(tracing.source(reportingSent(zone), 'dns'), query),
    samplesOf: sampleNames,
  });
}

/** Returns a source that reports each lookup as sent to the observer of its request. */
export function reportingSent(source: Source): Source {
  return {
    id: source.id,
    lookup: (query, request) => {
      request.observer?.onSent(keyOf(query));
      return source.lookup(query, request);
    },
  };
}
