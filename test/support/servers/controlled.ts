import type { KeyValueStore } from '../../../src/shared/key-value-store.ts';
import type { Clock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Answer } from '../../../src/domain/answer.ts';
import type { AttemptRequest, NameQuery } from '../../../src/domain/source.ts';
import { ControlledSource } from '../../../src/registries/proof/controlled.ts';
import { registeredNames } from '../../../src/registries/proof/canary-names.ts';
import { dasServiceOf, type RequestForm } from '../../../src/registries/whois/das-services.ts';
import { dasSource } from '../../../src/registries/whois/das-source.ts';
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
  readonly forms?: readonly [string, ...string[]];
}

/**
 * Returns a controlled source that queries a fake server as the availability service of `tld`, or
 * else as its WHOIS server.
 */
export function controlled(tld: string, server: FakeDasServer, wiring: Wiring = {}) {
  const { log, lines } = memoryLog();
  const { clock = frozenClock(), store = new MemoryAnswers(), limits = unlimited } = wiring;
  const queue = new HostQueue({ host: 'server.test', limits, clock });
  const throttling = {
    queueOf: () => queue,
    redirectQueueOf: () => queue,
    clock,
    onParserError: () => {},
  };
  const { open, forms, timeoutMs } = serviceOf(tld, server, clock);
  /** The accounts and priorities of the queries. */
  const requests: string[] = [];
  const source = new ControlledSource(
    (form) => {
      const opened = open(form);
      const recorded = {
        id: opened.id,
        lookup(query: NameQuery, request: AttemptRequest) {
          requests.push(`${request.account} ${request.priority}`);
          return opened.lookup(query, request);
        },
      };
      return throttledSource(recorded, throttling);
    },
    {
      suffix: tld,
      samples: registeredNames(tld),
      forms: wiring.forms ?? forms,
      timeoutMs,
      maxUnverified: wiring.maxUnverified ?? 20,
      clock,
      store,
      log,
    },
  );
  const answerFor = (
    name: string,
    request: Partial<AttemptRequest> = {},
    query: Partial<NameQuery> = {},
  ) =>
    source.lookup(
      { name: splitName(parseDomainName(name)), detail: 'verdict', ...query },
      {
        signal: new AbortController().signal,
        queueDeadline: clock.now() + timeoutMs,
        account: 'alice',
        priority: 'bulk',
        ...request,
      },
    );
  const lookUp = async (name: string) => outcomeOf(await answerFor(name));
  return { source, queue, requests, lines, answerFor, lookUp };
}

function serviceOf(tld: string, server: FakeDasServer, clock: Clock) {
  const options = { clock, allowPrivate: true };
  const das = dasServiceOf(tld);
  if (das) {
    const timeoutMs = 2000;
    const open = (form: string) =>
      dasSource(das, server, form as RequestForm, { ...options, timeoutMs });
    return { open, forms: das.forms, timeoutMs };
  }
  const whois = whoisServiceOf(tld);
  if (!whois) throw new Error(`.${tld} has no server for names`);
  const timeoutMs = 5000;
  const open = () => whoisSource(whois, server, { ...options, timeoutMs });
  return { open, forms: ['whois'] as const, timeoutMs };
}

/** Returns the verdict of an answer, or the code of its problem. */
export function outcomeOf({ data, problem }: Answer): string {
  return problem?.code ?? data?.verdict ?? 'UNKNOWN';
}
