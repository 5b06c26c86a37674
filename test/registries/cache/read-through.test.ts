import { expect, it } from 'vitest';
import { createAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName, splitName } from '../../../src/domain/domain-name.ts';
import type { Source } from '../../../src/domain/source.ts';
import { lookUpAndCache, readCache } from '../../../src/registries/cache/read-through.ts';
import { SingleFlight } from '../../../src/registries/cache/single-flight.ts';
import { nameForm } from '../../../src/registries/cache/store.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { memoryLog } from '../../support/memory-log.ts';

// Under an idempotency key, the second call of a name would be charged again.
it('a lookup that completes between a cache read and the next lookup is not repeated', async () => {
  const clock = manualClock();
  const cache = {
    store: new MemoryAnswers(),
    form: nameForm,
    singleFlight: new SingleFlight(clock),
    storesRecords: true,
    retentionSeconds: 3600,
    isUsable: () => true,
    clock,
    log: memoryLog().log,
  };
  let queries = 0;
  const source: Source = {
    id: 'https://rdap.example/',
    async lookup() {
      queries += 1;
      const provenance = { endpoint: this.id, checkedAt: clock.now() };
      return createAnswer({ verdict: 'REGISTERED' }, provenance);
    },
  };
  const request = {
    signal: new AbortController().signal,
    queueDeadline: clock.now() + 5000,
    account: 'alice',
    priority: 'single',
  } as const;
  const query = { name: splitName(parseDomainName('example.test')), detail: 'verdict' } as const;
  const missed = (await readCache(cache, [query])).get(query.name.ascii);
  await lookUpAndCache(source, cache, query, request);
  const answer = await lookUpAndCache(source, cache, { ...query, ...missed }, request);
  expect([queries, answer.provenance.cached]).toEqual([1, true]);
});
