import type { KeyValueStore } from '../../../src/shared/key-value-store.ts';
import type { Clock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { AttemptRequest, NameQuery } from '../../../src/domain/source.ts';
import { registeredNames } from '../../../src/registries/proof/canary-names.ts';
import { ControlledSource } from '../../../src/registries/proof/controlled.ts';
import { throttledSource } from '../../../src/registries/throttled.ts';
import { whoisServiceOf } from '../../../src/registries/whois/whois-format.ts';
import { whoisSource } from '../../../src/registries/whois/whois-source.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import type { HostLimits } from '../../../src/outbound/queues/host-limits.ts';
import { HostQueue } from '../../../src/outbound/queues/host-queue.ts';
import type { FakeDasServer } from './fake-das-server.ts';
import { frozenClock } from '../time/frozen-clock.ts';
import { memoryLog } from '../checks/memory-log.ts';
import { unlimited } from '../stores/open-queue.ts';

interface Wiring {
  readonly clock?: Clock;
  readonly store?: KeyValueStore;
  readonly limits?: HostLimits;
  readonly maxUnverified?: number;
  readonly form?: string;
}

const timeoutMs = 5000;

/** Returns a controlled source that queries a fake server as the WHOIS server of `tld`. */
export function controlledWhois(tld: string, server: FakeDasServer, wiring: Wiring = {}) {
  const service = whoisServiceOf(tld);
  if (!service) throw new Error(`.${tld} has no WHOIS server`);
  const { clock = frozenClock(), store = new MemoryAnswers(), limits = unlimited } = wiring;
  const queue = new HostQueue({ host: 'whois.test', limits, clock });
  /** The accounts and priorities of the queries. */
  const requests: string[] = [];
  const whois = whoisSource(service, server, { clock, timeoutMs, allowPrivate: true });
  const recorded = {
    id: whois.id,
    lookup(query: NameQuery, request: AttemptRequest) {
      requests.push(`${request.account} ${request.priority}`);
      return whois.lookup(query, request);
    },
  };
  const source = new ControlledSource(
    () =>
      throttledSource(recorded, {
        queueOf: () => queue,
        redirectQueueOf: () => queue,
        clock,
        onParserError: () => {},
      }),
    {
      suffix: tld,
      samples: registeredNames(tld),
      forms: [wiring.form ?? 'whois'],
      timeoutMs,
      maxUnverified: wiring.maxUnverified ?? 20,
      clock,
      store,
      log: memoryLog().log,
    },
  );
  const answerFor = (name: string) =>
    source.lookup(
      { name: splitName(parseDomainName(name)), detail: 'verdict' },
      {
        signal: new AbortController().signal,
        queueDeadline: clock.now() + timeoutMs,
        account: 'alice',
        priority: 'bulk',
      },
    );
  return {
    source,
    queue,
    requests,
    answerFor,
    /** Returns the verdict, or the code of the problem. */
    async lookUp(name: string): Promise<string> {
      const { data, problem } = await answerFor(name);
      return problem?.code ?? data?.verdict ?? 'UNKNOWN';
    },
  };
}
