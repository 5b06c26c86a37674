import { createHash } from 'node:crypto';
import type { DasEndpoint, WhoisEndpoint } from './directory/suffix-sources.ts';
import type { ServerTrust } from '../domain/catalogue.ts';
import { splitName } from '../domain/names/domain-name.ts';
import type { Source } from '../domain/source.ts';
import { registeredNames } from './proof/canary-names.ts';
import { ControlledSource } from './proof/controlled.ts';
import type { ControlOptions } from './proof/control-monitor.ts';
import { dasServiceOf } from './whois/das-services.ts';
import { dasSource } from './whois/das-source.ts';
import { throttledSource } from './throttled.ts';
import type { WhoisFormat } from './whois/whois-format.ts';
import { whoisSource } from './whois/whois-source.ts';
import type { KeyValueStore } from '../shared/key-value-store.ts';
import type { QueryOptions } from './query-options.ts';
import { getOrInsert } from '../shared/memoize.ts';

interface ControlledOptions<Form extends string> extends Pick<
  ControlOptions<Form>,
  'suffix' | 'samples' | 'forms'
> {
  readonly kind: 'das' | 'whois';
  /** Identifies the source among those of its kind. */
  readonly key: readonly unknown[];
  readonly sourceOf: (form: Form) => Source;
}

/**
 * The availability services and WHOIS servers of registries, each with its queue, and with controls
 * for each suffix.
 */
export class ControlledServers {
  readonly #store: KeyValueStore;
  readonly #query: QueryOptions;
  readonly #sources = new Map<string, ControlledSource<string>>();

  constructor(store: KeyValueStore, query: QueryOptions) {
    this.#store = store;
    this.#query = query;
  }

  /** Returns the source for the names of a TLD, which must have an availability service. */
  das({ tld, address, like = tld, samples }: DasEndpoint): ControlledSource<string> {
    const service = dasServiceOf(like);
    if (!service) throw new Error(`no availability service of .${tld} is known`);
    return this.#source({
      kind: 'das',
      suffix: tld,
      samples: samples ?? registeredNames(tld),
      forms: service.forms,
      sourceOf: (form) => dasSource(service, address, form, this.#query),
      key: [tld, address],
    });
  }

  /** Returns the source for the names under all suffixes of a WHOIS server. */
  whois(endpoint: WhoisEndpoint): Source {
    return {
      id: this.whoisUnder(endpoint, endpoint.tld).id,
      lookup: (query, request) =>
        this.whoisUnder(endpoint, query.name.suffix).lookup(query, request),
    };
  }

  /** Returns the source for the names directly under one suffix of a WHOIS server. */
  whoisUnder(endpoint: WhoisEndpoint, suffix: string): ControlledSource<string> {
    const { service, address } = endpoint;
    return this.#source({
      kind: 'whois',
      suffix,
      // The server may have the names of one suffix only, and report all others as unregistered.
      samples: (endpoint.samples ?? registeredNames(suffix)).filter(
        (name) => splitName(name).suffix === suffix,
      ),
      // Controls that passed with other patterns do not count.
      forms: [formatId(service.format)],
      sourceOf: () => whoisSource(service, address, this.#query),
      key: [suffix, endpoint],
    });
  }

  /** The number of suffixes whose last conclusive controls failed. */
  get failing(): number {
    return this.trust().filter(({ trust }) => trust === 'failing').length;
  }

  /** Returns how far each server is trusted, for each of its suffixes that was queried. */
  trust(): readonly ServerTrust[] {
    return Array.from(this.#sources.values(), ({ trust }) => trust);
  }

  #source<Form extends string>(options: ControlledOptions<Form>): ControlledSource<string> {
    const { kind, key, sourceOf, ...controls } = options;
    const query = this.#query;
    const { timeoutMs, maxUnverified, clock, log, tracing, chance } = query;
    return getOrInsert(this.#sources, JSON.stringify([kind, ...key]), () => {
      const source: ControlledSource<string> = new ControlledSource<Form>(
        (form) => throttledSource(tracing.source(sourceOf(form), kind), query),
        {
          ...controls,
          timeoutMs,
          maxUnverified,
          chance,
          store: this.#store,
          clock,
          log,
          onFailing: () => this.#expireOthers(source),
        },
      );
      return source;
    });
  }

  /** A text that changed for one suffix has probably changed for all suffixes of the server. */
  #expireOthers(failed: ControlledSource<string>): void {
    for (const source of this.#sources.values())
      if (source !== failed && source.id === failed.id) void source.expireControls();
  }
}

/** Returns whether a WHOIS server has a suffix with names that control it. */
export function hasControls({ tld, service, samples }: WhoisEndpoint): boolean {
  return (samples ?? registeredNames(tld)).some(
    (name) => service.suffixes?.includes(splitName(name).suffix) ?? true,
  );
}

/** Returns an identifier that changes with the queries and patterns of a server. */
function formatId(format: WhoisFormat): string {
  return createHash('sha256').update(JSON.stringify(format)).digest('base64url').slice(0, 16);
}
