import { derived } from '../../shared/memoize.ts';
import { readJson } from '../rdap/json.ts';
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import { assertPlausible, changesBetween } from './entry-changes.ts';
import type { BaseUrls, EntryServices } from './object-services.ts';

/** What the loader must know about a document. */
interface ObjectDocument<Service> {
  /** The name of the file, beside `dns.json`. */
  readonly file: string;
  /** The built-in document. */
  readonly table: object;
  /** Parses a document. Throws an Error with the reason. */
  readonly read: (document: unknown) => EntryServices<Service>;
  /** A document that lacks this share of the previous entries is rejected. */
  readonly maxLostShare?: number;
}

/**
 * Loads a bootstrap document of objects, and reloads it like that of domains. Until one is loaded,
 * or if there is none beside `dns.json`, the built-in table is used. An implausible document is
 * rejected, and the last good copy stays in use.
 */
export class ObjectBootstrapLoader<Service extends { readonly baseUrls: BaseUrls }> {
  /** Settles after the first attempt to load the document, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  /** Returns the origins of the current servers. */
  readonly origins: () => ReadonlySet<string>;
  readonly #url: string;
  readonly #document: ObjectDocument<Service>;
  readonly #loader: DocumentLoader<EntryServices<Service>>;
  readonly #builtIn: EntryServices<Service>;

  /** Starts loading the document; `url` is that of `dns.json`. */
  constructor(options: LoaderOptions, document: ObjectDocument<Service>) {
    const url = siblingUrl(options.url, document.file);
    this.#url = url;
    this.#document = document;
    this.#builtIn = document.read(document.table);
    this.origins = derived(
      () => this.current,
      (services) => originsOf(services.values()),
    );
    this.#loader = new DocumentLoader(
      {
        name: `bootstrap document ${document.file}`,
        storeKey: `bootstrap:${url}`,
        mediaType: 'application/json',
        decode: readJson,
        parse: document.read,
        accept: (services, lastGood) => this.#accept(services, lastGood, options),
        size: () => this.current.size,
        isOptional: true,
      },
      { ...options, url },
    );
    this.settled = this.#loader.settled;
  }

  /** The services of the last good document. */
  get current(): EntryServices<Service> {
    return this.#loader.lastGood?.value ?? this.#builtIn;
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    this.#loader.stop();
  }

  #accept(
    services: EntryServices<Service>,
    lastGood: EntryServices<Service> | undefined,
    { log }: LoaderOptions,
  ): EntryServices<Service> {
    // The built-in table is a copy of IANA's document; another operator's may be shorter.
    const isIana = new URL(this.#url).hostname === 'data.iana.org';
    const reference = lastGood ?? (isIana ? this.#builtIn : undefined);
    // A file is under the operator's control; a response may be truncated.
    if (reference && !this.#url.startsWith('file:'))
      assertPlausible(services, reference, this.#document.maxLostShare);
    log.info(
      {
        document: this.#document.file,
        entries: services.size,
        ...changesBetween(
          lastGood ?? this.#builtIn,
          services,
          (entry) => urlsOf(lastGood ?? this.#builtIn, entry) !== urlsOf(services, entry),
        ),
      },
      'Bootstrap document of objects loaded.',
    );
    return services;
  }
}

function urlsOf(
  services: EntryServices<{ readonly baseUrls: BaseUrls }>,
  entry: string,
): string | undefined {
  return services.get(entry)?.baseUrls.join(' ');
}

/** Returns the URL of a file beside another one; a query string, such as a token, is kept. */
function siblingUrl(url: string, file: string): string {
  const sibling = new URL(file, url);
  sibling.search = new URL(url).search;
  return sibling.href;
}

function originsOf(services: Iterable<{ readonly baseUrls: BaseUrls }>): ReadonlySet<string> {
  return new Set(
    Array.from(services).flatMap(({ baseUrls }) => baseUrls.map((url) => new URL(url).origin)),
  );
}
