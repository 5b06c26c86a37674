import { systemClock, type Clock } from '../../../src/clock.ts';
import { parseDomainName } from '../../../src/domain/domain-name.ts';
import type { Answer, AttemptRequest } from '../../../src/domain/source.ts';
import { DnsSource, type DnsOptions } from '../../../src/sources/dns/dns-source.ts';
import { memoryLog } from '../../support/memory-log.ts';

/** A source whose servers the operator names, with functions to look up names. */
export function dnsSource(
  servers: readonly { readonly address: string; readonly port: number }[],
  options: Partial<DnsOptions> = {},
) {
  const clock: Clock = options.clock ?? systemClock;
  const { log, lines } = memoryLog();
  const source = new DnsSource({
    clock,
    log,
    serversOf: () => servers,
    allowPrivate: true,
    throttled: (zone) => zone,
    samplesOf: () => [],
    ...options,
  });
  return {
    source,
    lines,
    /** Looks up a name, by default within five seconds. */
    lookUp(name: string, request: Partial<AttemptRequest> = {}): Promise<Answer> {
      return source.lookup(
        { name: parseDomainName(name), detail: 'verdict' },
        {
          signal: new AbortController().signal,
          queueDeadline: clock.now() + 5000,
          account: 'alice',
          priority: 'single',
          ...request,
        },
      );
    },
  };
}

/** The result in one word: the verdict if there is one, else delegation or problem. */
export function resultOf({ result, provenance }: Answer): string {
  return result.problem ? (provenance.delegation ?? result.problem.code) : result.verdict;
}
