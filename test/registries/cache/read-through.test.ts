import { expect, it } from 'vitest';
import { createAnswer } from '../../../src/domain/answer.ts';
import { parseDomainName, splitName } from '../../../src/domain/names/domain-name.ts';
import type { CacheRead, Source } from '../../../src/domain/source.ts';
import { lookUpAndCache, readCache } from '../../../src/registries/cache/read-through.ts';
import { SingleFlight } from '../../../src/registries/cache/single-flight.ts';
import { nameForm } from '../../../src/registries/cache/store.ts';
import { MemoryAnswers } from '../../../src/storage/memory/answers.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';

// Under an idempotency key, the second call of a name would be charged again.
it('a lookup that completes between a cache read and the next lookup is not repeated', async () => {
  const { lookUp, read, queryCount } = setUp();
  const missed = await read();
  await lookUp();
  const answer = await lookUp(missed);
  expect([queryCount(), answer.provenance.cached]).toEqual([1, true]);
});

it('a lookup that completed before another is repeated if the cache can no longer be read', async () => {
  const failures = 10;
  let reads = 0;
  const { lookUp, read, queryCount, store } = setUp();
  const missed = await read();
  await lookUp();
  store.getAnswers = async () => {
    reads += 1;
    if (reads <= failures) throw new Error('the store is unavailable');
    return new Map();
  };
  await lookUp(missed);
  expect([queryCount(), reads]).toEqual([2, 1]);
});

function setUp() {
  const clock = manualClock();
  const store = new MemoryAnswers();
  const cache = {
    store,
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
  return {
    store,
    read: async () => (await readCache(cache, [query])).get(query.name.ascii),
    lookUp: (missed?: CacheRead) => lookUpAndCache(source, cache, { ...query, ...missed }, request),
    queryCount: () => queries,
  };
}
