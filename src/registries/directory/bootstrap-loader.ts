import type { BootstrapInfo } from '../../domain/catalogue.ts';
import { readJson } from '../rdap/json.ts';
import { publicationOf, readBootstrap, type Services } from './bootstrap-parser.ts';
import table from './bootstrap-table.json' with { type: 'json' };
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import { assertPlausible, changesBetween } from './entry-changes.ts';

const ianaUrl = 'https://data.iana.org/rdap/dns.json';

/**
 * Loads the bootstrap document (RFC 9224). Until one is loaded, the built-in table is used. An
 * implausible document is rejected, and the last good copy stays in use.
 */
export class BootstrapLoader {
  /** Settles after the first attempt to load the document, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  readonly #options: LoaderOptions;
  readonly #loader: DocumentLoader<Services>;
  /** The built-in table. Parsed on first use, because it is rarely needed if a copy is stored. */
  #table: Services | undefined;

  /** Starts loading the document. */
  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#loader = new DocumentLoader(
      {
        name: 'bootstrap document',
        storeKey: `bootstrap:${options.url}`,
        mediaType: 'application/json',
        decode: readJson,
        parse: readBootstrap,
        accept: (services, lastGood) => this.#accept(services, lastGood),
        size: () => this.current().size,
      },
      options,
    );
    this.settled = this.#loader.settled;
  }

  /** Returns the services of the last good document. */
  current(): Services {
    return this.#loader.lastGood?.value ?? (this.#table ??= readBootstrap(table));
  }

  /** Returns the source of the current services. */
  info(): BootstrapInfo {
    const { lastGood } = this.#loader;
    return {
      source: lastGood ? publicSource(this.#options.url) : 'built-in',
      publishedAt: publicationOf(lastGood ? lastGood.document : table),
    };
  }

  /** Time of the last successful load; epoch ms, undefined without one. */
  get confirmedAt(): number | undefined {
    return this.#loader.confirmedAt;
  }

  /** When its server was first found to be unreachable, if it still is; epoch ms. */
  get unreachableSince(): number | undefined {
    return this.#loader.unreachableSince;
  }

  /** Returns whether the last attempt to load the document failed without a response. */
  get isUnreachable(): boolean {
    return this.unreachableSince !== undefined;
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    this.#loader.stop();
  }

  #accept(services: Services, lastGood: Services | undefined): Services {
    const { url, log } = this.#options;
    // The built-in table is a copy of IANA's document.
    const reference = lastGood ?? (url === ianaUrl ? this.current() : undefined);
    // A file is under the operator's control; a response may be truncated.
    if (reference && !url.startsWith('file:')) assertPlausible(services, reference);
    // The built-in table is compared only if it has already been parsed.
    const previous = lastGood ?? this.#table;
    log.info(
      { entries: services.size, ...(previous && changedServices(previous, services)) },
      'Bootstrap document loaded.',
    );
    return services;
  }
}

function changedServices(before: Services, after: Services): Record<string, unknown> {
  return changesBetween(before, after, (entry) => urlsOf(before, entry) !== urlsOf(after, entry));
}

function urlsOf(services: Services, entry: string): string | undefined {
  return services.get(entry)?.baseUrls.join(' ');
}

/**
 * Returns a URL without the parts that clients must not see: the path of a file, or a query string,
 * which may contain a secret.
 */
function publicSource(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? 'file' : `${origin}${pathname}`;
}
