import type { CacheContext } from '../cache/read-through.ts';
import { suffixSources, type KnownSources } from '../directory/suffix-sources.ts';
import { servingEntryOf, type Entries } from '../directory/directory.ts';
import { specialUseOfName, specialUseText } from '../directory/special-use.ts';
import type { DomainName } from '../domain/domain-name.ts';
import type { ObjectBootstraps, ObjectServers } from '../directory/objects/object-bootstraps.ts';
import type {
  ObjectDirectory,
  ObjectParser,
  ObjectResolution,
} from '../domain/objects/object-directory.ts';
import type { ObjectRef } from '../domain/objects/object-ref.ts';
import { Problem } from '../domain/problems.ts';
import type { Registry, Source } from '../domain/source.ts';
import { isSandboxObject } from '../sandbox/objects/is-sandbox-object.ts';
import { ObjectSource } from '../sources/rdap/object-source.ts';
import { objectParser } from '../sources/rdap/parser/object-parser.ts';
import { RetryingSource } from '../sources/retrying.ts';
import { ThrottledSource } from '../sources/throttled.ts';
import type { Common } from './common.ts';
import { cacheWrapper } from './registries.ts';
import type { QueryOptions } from './throttle.ts';

interface ObjectOptions {
  readonly common: Common;
  readonly query: QueryOptions;
  /** The first call starts to load the documents of IANA. */
  readonly bootstraps: () => ObjectBootstraps;
  readonly known: () => KnownSources;
  readonly entries: () => Entries;
  readonly cache: Omit<CacheContext, 'isUsable'>;
  /** The server of the sandbox; undefined with `SANDBOX=off`. */
  readonly sandbox: Registry | undefined;
}

type BaseUrls = readonly [string, ...string[]];

/** The servers of RDAP objects, with their cache, retries and queues. */
export class ObjectRegistries implements ObjectDirectory {
  readonly parser: ObjectParser;
  readonly #options: ObjectOptions;
  readonly #withCache: ReturnType<typeof cacheWrapper>;
  readonly #registries = new Map<string, Registry>();

  constructor(options: ObjectOptions) {
    const { cache, common } = options;
    this.#options = options;
    this.parser = objectParser((error) => options.query.onParserError('objects', error));
    this.#withCache = cacheWrapper({ ...cache, isUsable: () => true }, common.tracing);
  }

  async resolve(ref: ObjectRef): Promise<ObjectResolution> {
    const { sandbox } = this.#options;
    if (sandbox && (isSandboxObject(ref, sandbox.id) || baseUrlOf(ref) === sandbox.id))
      return { registry: sandbox, isFree: true };
    const servers = await this.#serversOf(ref);
    return 'problem' in servers
      ? servers
      : { registry: this.#registryAt(servers.baseUrls), isFree: false };
  }

  serverOfTld(tld: string): ReturnType<ObjectDirectory['serverOfTld']> {
    const { sandbox } = this.#options;
    if (sandbox && /(?:^|\.)test$/.test(tld)) return { baseUrl: sandbox.id };
    const baseUrls = this.#rdapOf(tld);
    return baseUrls ? { baseUrl: baseUrls[0] } : { problem: noServer(tld) };
  }

  async #serversOf(ref: ObjectRef): Promise<ObjectServers> {
    if (ref.type === 'nameserver') return this.#serversOfName(ref.name);
    const bootstraps = this.#options.bootstraps();
    await bootstraps.settled;
    if (ref.type !== 'entity' || ref.baseUrl === undefined) return bootstraps.resolve(ref);
    // Another registry may have redirected to the one that the tag of the handle names.
    const tagged = bootstraps.resolve({ ...ref, baseUrl: undefined });
    return 'problem' in tagged ? { baseUrls: [ref.baseUrl] } : tagged;
  }

  #serversOfName(name: DomainName): ObjectServers {
    const tld = name.slice(name.lastIndexOf('.') + 1);
    const entry = servingEntryOf(this.#options.entries(), name);
    const special = entry === undefined ? specialUseOfName(name) : undefined;
    if (special) return { problem: new Problem('special_use', specialUseText(special)) };
    const baseUrls = this.#rdapOf(entry ?? tld);
    return baseUrls ? { baseUrls } : { problem: noServer(tld) };
  }

  #rdapOf(entry: string): BaseUrls | undefined {
    return suffixSources(entry, this.#options.known()).rdap?.baseUrls;
  }

  #registryAt(baseUrls: BaseUrls): Registry {
    const id = baseUrls.join(' ');
    const existing = this.#registries.get(id);
    if (existing) return existing;
    const { query } = this.#options;
    const server = (baseUrl: string): Source =>
      new ThrottledSource(new ObjectSource(baseUrl, query), query);
    const [first, ...others] = baseUrls;
    const source = new RetryingSource(
      [server(first), ...others.map(server)],
      query.timeoutMs,
      query.clock,
    );
    const registry = this.#withCache(source, [
      { kind: 'rdap', endpoint: first, provesAvailable: false },
    ]);
    this.#registries.set(id, registry);
    return registry;
  }
}

function baseUrlOf(ref: ObjectRef): string | undefined {
  return ref.type === 'entity' ? ref.baseUrl : undefined;
}

function noServer(tld: string): Problem {
  return new Problem('no_registry', `No RDAP server is known for .${tld}.`);
}
