import type { DasEndpoint } from '../directory/suffix-sources.ts';
import type { Source } from '../domain/source.ts';
import { registeredNames } from '../sources/canary/registered-names.ts';
import { ControlledSource } from '../sources/controlled.ts';
import { dasServiceOf, type RequestForm } from '../sources/das/das-services.ts';
import { DasSource } from '../sources/das/das-source.ts';
import { ThrottledSource } from '../sources/throttled.ts';
import type { Stores } from '../storage/open.ts';
import type { Common } from './common.ts';
import type { QueryOptions } from './throttle.ts';

/** The availability services of registries, each with its controls and its queue. */
export class DasSources {
  readonly #common: Common;
  readonly #stores: Stores;
  readonly #query: QueryOptions;
  readonly #sources = new Map<string, ControlledSource<RequestForm>>();

  constructor(common: Common, stores: Stores, query: QueryOptions) {
    this.#common = common;
    this.#stores = stores;
    this.#query = query;
  }

  /** Returns the source for the names of a TLD, which must have an availability service. */
  source(endpoint: DasEndpoint): Source {
    return this.#controlled(endpoint);
  }

  /** Returns whether a stored AVAILABLE of a server is still trusted. */
  trustsCached(endpoint: DasEndpoint, serverUrl: string, checkedAt: number): boolean {
    const source = this.#controlled(endpoint);
    return source.id === serverUrl && source.trustsAvailable(checkedAt);
  }

  #controlled(endpoint: DasEndpoint): ControlledSource<RequestForm> {
    const key = JSON.stringify(endpoint);
    const source = this.#sources.get(key) ?? this.#create(endpoint);
    this.#sources.set(key, source);
    return source;
  }

  #create({ tld, address }: DasEndpoint): ControlledSource<RequestForm> {
    const { config, clock, log, tracing } = this.#common;
    const query = this.#query;
    const service = dasServiceOf(tld);
    if (!service) throw new Error(`no availability service of .${tld} is known`);
    const options = {
      clock,
      timeoutMs: query.timeoutMs,
      allowPrivate: config.RDAP_ALLOW_PRIVATE,
    };
    return new ControlledSource<RequestForm>(
      (form) => {
        const source = new DasSource(service, address, form, options);
        return new ThrottledSource(tracing.source(source, 'das'), query);
      },
      {
        suffix: tld,
        samples: registeredNames(tld),
        forms: service.forms,
        timeoutMs: query.timeoutMs,
        store: this.#stores.answers,
        clock,
        log,
      },
    );
  }
}
