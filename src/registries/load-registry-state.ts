import type { KeyValueStore } from '../shared/key-value-store.ts';
import { lookUpCanary } from './proof/canary-checked.ts';
import { RegistryState } from './proof/registry-state.ts';
import type { QueryOptions } from './query-options.ts';
import { rdapSource, trustsEvery404 } from './rdap/rdap-source.ts';
import { throttledSource } from './throttled.ts';

/** Loads the stored state of registries. Canaries are looked up through the host queues. */
export async function loadRegistryState(
  store: KeyValueStore,
  query: QueryOptions,
): Promise<RegistryState> {
  const { timeoutMs, maxUnverified, clock, log } = query;
  const server = (baseUrl: string) =>
    throttledSource(rdapSource({ baseUrl, ...trustsEvery404 }, query), query);
  return RegistryState.load({
    store,
    lookUpCanary: (baseUrl, canary) =>
      lookUpCanary(server(baseUrl), canary, clock.now() + timeoutMs),
    maxUnverified,
    clock,
    log,
  });
}
