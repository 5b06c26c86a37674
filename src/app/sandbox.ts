import type { CacheContext } from '../cache/read-through.ts';
import type { Entries } from '../directory/directory.ts';
import { startSandbox } from '../sandbox/server.ts';
import { sandboxSuffixes } from '../sandbox/suffixes.ts';
import { FairShareSource } from '../sources/fair-share.ts';
import { RdapSource } from '../sources/rdap/rdap-source.ts';
import { RetryingSource } from '../sources/retrying.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import { maxSandboxConnections, type Clients } from './clients.ts';
import type { Common } from './common.ts';
import { cacheWrapper, trustsEvery404 } from './registries.ts';
import type { QueryOptions } from './throttle.ts';

const sandboxRetentionSeconds = 10;
/** About 1,000 answers. */
const maxCachedCharacters = 3_000_000;

/**
 * Starts the sandbox registry. Returns it under each of its suffixes, or an empty map with
 * `SANDBOX=off`.
 */
export async function buildSandbox(
  { config, clock, tracing, disposables }: Common,
  clients: Clients,
  query: QueryOptions,
  cache: Omit<CacheContext, 'trustsAvailable'>,
): Promise<Entries> {
  if (!config.SANDBOX) return new Map();
  const { baseUrl } = disposables.adopt(await startSandbox(clock), (sandbox) => sandbox.close());
  // There is no host queue: the sandbox has no rate limit, and a `Retry-After` applies to one name
  // only.
  const server = new RdapSource(
    { baseUrl, ...trustsEvery404 },
    { ...query, client: clients.sandbox(baseUrl) },
  );
  const retrying = new RetryingSource(
    [new FairShareSource(server, maxSandboxConnections, clock)],
    query.timeoutMs,
    clock,
  );
  const sandboxCache = {
    store: new MemoryAnswers(maxCachedCharacters),
    retentionSeconds: sandboxRetentionSeconds,
    trustsAvailable: () => true,
  };
  const registry = cacheWrapper({ ...cache, ...sandboxCache }, tracing)(retrying);
  return new Map(sandboxSuffixes.map((suffix) => [suffix, registry]));
}
