import type { Memory } from '../cache/read-through.ts';
import type { Entries } from '../directory/directory.ts';
import { startSandbox } from '../sandbox/server.ts';
import { sandboxSuffixes } from '../sandbox/suffixes.ts';
import { FairShare } from '../sources/fair-share.ts';
import { RdapSource } from '../sources/rdap/rdap-source.ts';
import { RetryingSource } from '../sources/retrying.ts';
import { MemoryAnswers } from '../storage/memory/answers.ts';
import { maxSandboxConnections, type Clients } from './clients.ts';
import type { Common } from './common.ts';
import { cachedWith, trustsEvery404 } from './registries.ts';
import type { QueryOptions } from './throttle.ts';

const cachedForSeconds = 10;
/** About a thousand answers. */
const maxCachedCharacters = 3_000_000;

/** Starts the sandbox registry unless it is switched off, and returns it for each of its suffixes. */
export async function buildSandbox(
  { config, clock, tracing, parts }: Common,
  clients: Clients,
  query: QueryOptions,
  memory: Omit<Memory, 'trustsAvailable'>,
): Promise<Entries> {
  if (!config.SANDBOX) return new Map();
  const { baseUrl } = parts.adopt(await startSandbox(clock), (sandbox) => sandbox.close());
  // No host queue: it has no rate limit, and a `Retry-After` holds for one name only.
  const server = new RdapSource(
    { baseUrl, ...trustsEvery404 },
    { ...query, client: clients.sandbox(baseUrl) },
  );
  const retrying = new RetryingSource(
    [new FairShare(server, maxSandboxConnections, clock)],
    query.timeoutMs,
    clock,
  );
  const own = {
    store: new MemoryAnswers(maxCachedCharacters),
    keptForSeconds: cachedForSeconds,
    trustsAvailable: () => true,
  };
  const registry = cachedWith({ ...memory, ...own }, tracing)(retrying);
  return new Map(sandboxSuffixes.map((suffix) => [suffix, registry]));
}
