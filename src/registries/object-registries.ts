import { LRUCache } from 'lru-cache';
import { atMost } from '../shared/lru.ts';
import type { CacheContext } from './cache/read-through.ts';
import type { Service } from './directory/bootstrap-parser.ts';
import { suffixSources, type CurrentSources } from './directory/suffix-sources.ts';
import { servingEntryOf, type Entries } from './directory/directory.ts';
import { specialUseOfName, specialUseText } from './directory/special-use.ts';
import { splitName, tldOf, type DomainName } from '../domain/names/domain-name.ts';
import type { ObjectBootstraps } from './directory/object-bootstraps.ts';
import type {
  ObjectDirectory,
  ObjectParser,
  ObjectResolution,
  ObjectServer,
} from '../domain/directory.ts';
import type { ObjectRef } from '../domain/object-ref.ts';
import { Problem } from '../domain/problems.ts';
import type { RdapRecord } from '../domain/answer.ts';
import type { ObjectQuery, Source } from '../domain/source.ts';
import { objectSource } from './rdap/object-source.ts';
import { objectParser } from './rdap/object-parser.ts';
import { retryingSource } from './retrying.ts';
import { throttledSource } from './throttled.ts';
import { cacheWrapper } from './cache/cache-wrapper.ts';
import type { QueryOptions } from './query-options.ts';

interface ObjectOptions {
  readonly query: QueryOptions;
  /** The first call starts to load the documents of IANA. */
  readonly bootstraps: () => ObjectBootstraps;
  readonly known: CurrentSources;
  readonly entries: () => Entries;
  readonly cache: ObjectCache;
  readonly sandbox: SandboxObjects | undefined;
}

/** The objects of the sandbox. There are none with `SANDBOX=off`. */
export interface SandboxObjects {
  readonly server: ObjectServer;
  has(ref: ObjectRef): boolean;
}

export type ObjectCache = CacheContext<ObjectQuery, RdapRecord | null>;

/** The servers of an object, or why there is none. */
type Servers =
  | {
      readonly baseUrls: readonly [string, ...string[]];
      /** Whether a 404 proves that there is no such object; by default, it does. */
      readonly is404Trusted?: boolean;
      /** An object named the server, so that there is no limit to the number of such servers. */
      readonly isLinked?: true;
    }
  | { readonly problem: Problem };

/** IANA lists five regional registries, and a few hundred servers of TLDs have objects, too. */
const maxServers = 2000;

/** The servers of RDAP objects, with their cache, retries and queues. */
export class ObjectRegistries implements ObjectDirectory {
  readonly parser: ObjectParser;
  readonly #options: ObjectOptions;
  readonly #withCache: (source: Source<ObjectQuery, RdapRecord | null>) => ObjectServer;
  readonly #servers = new LRUCache<string, ObjectServer>(atMost(maxServers));

  constructor(options: ObjectOptions) {
    const { cache, query } = options;
    this.#options = options;
    this.parser = objectParser((error) => query.onParserError('objects', error));
    this.#withCache = cacheWrapper(cache, query.tracing);
  }

  async resolve(ref: ObjectRef): Promise<ObjectResolution> {
    const { sandbox } = this.#options;
    if (sandbox?.has(ref)) return { server: sandbox.server, isFree: true };
    const servers = await this.#serversOf(ref);
    return 'problem' in servers ? servers : { server: this.#serverAt(servers), isFree: false };
  }

  serverOfTld(tld: string): ReturnType<ObjectDirectory['serverOfTld']> {
    const { sandbox } = this.#options;
    if (sandbox && /(?:^|\.)test$/.test(tld)) return { baseUrl: sandbox.server.id };
    const service = this.#rdapOf(tld);
    return service ? { baseUrl: service.baseUrls[0] } : { problem: noServer(tld) };
  }

  async #serversOf(ref: ObjectRef): Promise<Servers> {
    if (ref.type === 'nameserver') return this.#serversOfName(ref.name);
    if ((ref.type === 'entity' || ref.type === 'ip') && ref.baseUrl !== undefined)
      return { baseUrls: [ref.baseUrl], isLinked: true };
    const bootstraps = this.#options.bootstraps();
    await bootstraps.settled;
    return bootstraps.resolve(ref);
  }

  /** The 404 of an unlisted server proves nothing: no canary and no DNS can confirm it. */
  #serversOfName(name: DomainName): Servers {
    const tld = tldOf(name);
    const entry = servingEntryOf(this.#options.entries(), splitName(name));
    const special = entry === undefined ? specialUseOfName(name) : undefined;
    if (special) return { problem: new Problem('special_use', specialUseText(special)) };

    const service = this.#rdapOf(entry ?? tld);
    if (!service) return { problem: noServer(tld) };

    const { baseUrls, isListed, trust404 } = service;
    return { baseUrls, is404Trusted: isListed && trust404 };
  }

  #rdapOf(entry: string): Service | undefined {
    return suffixSources(entry, this.#options.known.current).rdap;
  }

  #serverAt({
    baseUrls,
    is404Trusted = true,
    isLinked,
  }: Exclude<Servers, { problem: Problem }>): ObjectServer {
    const id = `${is404Trusted} ${isLinked ?? false} ${baseUrls.join(' ')}`;
    const existing = this.#servers.get(id);
    if (existing) return existing;

    const { queueOf, redirectQueueOf, ...others } = this.#options.query;
    const query = { ...others, redirectQueueOf, queueOf: isLinked ? redirectQueueOf : queueOf };
    const throttled = (baseUrl: string) =>
      throttledSource(objectSource(baseUrl, is404Trusted, query), query);
    const [first, ...next] = baseUrls;
    const source = retryingSource(
      [throttled(first), ...next.map(throttled)],
      query.timeoutMs,
      query.clock,
    );
    const server = this.#withCache(source);
    this.#servers.set(id, server);

    return server;
  }
}

function noServer(tld: string): Problem {
  return new Problem('no_registry', `No RDAP server is known for .${tld}.`);
}
