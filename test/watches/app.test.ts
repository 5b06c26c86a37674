import { describe, expect, it } from 'vitest';
import { generateKey, hashOf } from '../../src/accounts/api-key.ts';
import { buildAccounts } from '../../src/app/accounts.ts';
import { buildSources } from '../../src/app/sources.ts';
import { buildStores } from '../../src/app/stores.ts';
import { buildWatches } from '../../src/app/watches.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { instrument } from '../../src/metrics/instruments.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { openTracing } from '../../src/tracing/open.ts';
import { sharedAccount } from '../../src/watches/types.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { fastClock } from '../support/time/fast-clock.ts';
import { sourcesWithoutDns } from '../support/gateways/gateway-process.ts';
import { postgresMissing } from '../support/stores/postgres.ts';
import { sharedPostgres } from '../support/stores/shared-postgres.ts';
import { registered } from '../support/bodies/replies.ts';

/** Builds the parts of a gateway that watch names, with a clock that runs 20 times as fast. */
async function startWatches(storeUrl: string, disposables: AsyncDisposableStack) {
  const registry = disposables.adopt(await startFakeRegistry(), (open) => open.close());
  registry.fallback(({ name }) => registered(name));
  const file = disposables.use(await writeBootstrap(bootstrapOf({ example: registry.baseUrl })));
  const config = readConfig({
    STORE_URL: storeUrl,
    RDAP_BOOTSTRAP_URL: file.url,
    RDAP_ALLOW_PRIVATE: 'true',
    SOURCES_FILE: sourcesWithoutDns,
    CT_SEARCH_URL: 'off',
    FREE_CREDITS: '20',
  });
  const clock = fastClock();
  const [log, tracing] = [createLog('silent'), await openTracing(clock)];
  const instruments = instrument(new Metrics(), clock);
  const common = { config, clock, log, tracing, instruments, disposables };
  const stores = await buildStores(common, undefined);
  const sources = await buildSources(common, stores);
  const accounts = buildAccounts(common, stores.accounts);
  await sources.settled;
  return { stores, watches: await buildWatches(common, stores, sources, accounts) };
}

describe.concurrent.each(['memory', 'postgres'])('a gateway, %s', (kind) => {
  const openAll = async (disposables: AsyncDisposableStack) =>
    startWatches(kind === 'memory' ? 'memory:' : await sharedPostgres.database(), disposables);
  const isMissing = kind === 'postgres' && postgresMissing !== undefined;

  it.skipIf(isMissing)('reports what the documentation says of the sandbox', async () => {
    await using parts = new AsyncDisposableStack();
    const { watches } = await openAll(parts);
    const { signal } = new AbortController();
    const stream = watches.follow(sharedAccount, {}, signal);
    const first = stream.next();
    await watches.watch(sharedAccount, ['dropping-a.test', 'changing-a.test', 'taken.test']);
    const seen: Record<string, string[]> = { 'dropping-a.test': [], 'changing-a.test': [] };
    for (let step = await first; !step.done; step = await stream.next()) {
      const { domain, type, notBefore, seenAt, before, after } = step.value;
      expect(seenAt - notBefore).toBeGreaterThan(0);
      if (type === 'AVAILABLE') expect(after.verdict).toBe('AVAILABLE');
      if (type === 'REGISTERED')
        expect([before.verdict, after.verdict]).toEqual(['AVAILABLE', 'PENDING_DELETE']);
      if (type === 'REGISTRAR') expect(after.registrar).not.toEqual(before.registrar);
      seen[domain]?.push(type);
      if (Object.values(seen).every(({ length }) => length >= 2)) break;
    }
    const [dropping, changing] = Object.values(seen);
    const start = dropping?.[0] === 'AVAILABLE' ? 0 : 1;
    const expected = ['AVAILABLE', 'REGISTERED', 'AVAILABLE', 'REGISTERED', 'AVAILABLE'];
    expect(dropping).toEqual(expected.slice(start, start + (dropping?.length ?? 0)));
    expect(new Set(changing)).toEqual(new Set(['REGISTRAR']));
    expect(Object.keys(seen)).toHaveLength(2);
  });

  it.skipIf(isMissing)('takes the price once, or watches nothing', async (context) => {
    await using parts = new AsyncDisposableStack();
    const { watches, stores } = await openAll(parts);
    const plan = { name: 'a', credits: null, origins: [] };
    const watcher = {
      id: (await stores.accounts.create(plan, hashOf(generateKey()))).id,
      isMetered: true,
    };
    const names = ['a.example', 'b.example', 'c.example'];
    await expect(watches.watch(watcher, names)).rejects.toMatchObject({ status: 402 });
    expect((await watches.names.list(watcher, { limit: 9 })).items).toEqual([]);
    await Promise.all(names.slice(1).map((name) => watches.watch(watcher, [name])));
    await watches.watch(watcher, names.slice(1));
    await context.expect
      .poll(async () =>
        (await watches.names.list(watcher, { limit: 9 })).items.map(({ facts }) => facts?.verdict),
      )
      .toEqual(['REGISTERED', 'REGISTERED']);
    expect(await stores.accounts.balance(watcher.id)).toMatchObject({ used: 20, remaining: 0 });
    expect(await stores.accounts.check()).toEqual([]);
  });
});
