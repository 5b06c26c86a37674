import type { KeyValueStore } from '../../../src/shared/key-value-store.ts';
import type { Clock } from '../../../src/clock.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { Answer } from '../../../src/domain/answer.ts';
import type { AttemptRequest, NameQuery } from '../../../src/domain/source.ts';
import { ControlledSource } from '../../../src/registries/proof/controlled.ts';
import { registeredNames } from '../../../src/registries/proof/canary-names.ts';
import { dasServiceOf, type DasService } from '../../../src/registries/whois/das-services.ts';
import { dasSource } from '../../../src/registries/whois/das-source.ts';
import { throttledSource } from '../../../src/registries/throttled.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import type { HostLimits } from '../../../src/outbound/queues/host-limits.ts';
import { HostQueue } from '../../../src/outbound/queues/host-queue.ts';
import type { FakeDasServer } from './fake-das-server.ts';
import { frozenClock } from '../time/frozen-clock.ts';
import { memoryLog } from '../checks/memory-log.ts';
import { unlimited } from '../stores/open-queue.ts';

const minute = 60_000;

interface Wiring {
  readonly clock?: Clock;
  readonly store?: KeyValueStore;
  readonly limits?: HostLimits;
  readonly maxUnverified?: number;
  readonly forms?: DasService['forms'];
}

/** Returns a controlled source that queries a fake server as the one of `tld`. */
export function controlledDas(tld: string, server: FakeDasServer, wiring: Wiring = {}) {
  const service = dasServiceOf(tld);
  if (!service) throw new Error(`.${tld} has no availability service`);
  const { log, lines } = memoryLog();
  const { clock = frozenClock(), store = new MemoryAnswers(), limits = unlimited } = wiring;
  const queue = new HostQueue({ host: 'das.test', limits, clock });
  const source = new ControlledSource(
    (form) =>
      throttledSource(
        dasSource(service, server, form, { clock, timeoutMs: 2000, allowPrivate: true }),
        {
          queueOf: () => queue,
          redirectQueueOf: () => queue,
          clock,
          onParserError: () => {},
        },
      ),
    {
      suffix: tld,
      samples: registeredNames(tld),
      forms: wiring.forms ?? service.forms,
      timeoutMs: 2000,
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
        queueDeadline: clock.now() + minute,
        account: 'alice',
        priority: 'bulk',
        ...request,
      },
    );
  return {
    source,
    lines,
    answerFor,
    lookUp: async (name: string) => outcomeOf(await answerFor(name)),
  };
}

/** Returns the verdict of an answer, or the code of its problem. */
export function outcomeOf({ data, problem }: Answer): string {
  return problem?.code ?? data?.verdict ?? 'UNKNOWN';
}
