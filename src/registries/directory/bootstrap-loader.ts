import type { BootstrapInfo } from '../../domain/catalogue.ts';
import { once } from '../../shared/memoize.ts';
import { readJson } from '../rdap/json.ts';
import { publicationOf, readBootstrap, type Services } from './bootstrap-parser.ts';
import table from './bootstrap-table.json' with { type: 'json' };
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';

const ianaUrl = 'https://data.iana.org/rdap/dns.json';

/** Loads the bootstrap document (RFC 9224). */
export class BootstrapLoader extends DocumentLoader<Services> {
  readonly #url: string;

  /** Starts loading the document. */
  constructor(options: LoaderOptions) {
    const { url } = options;
    const type = {
      name: 'bootstrap document',
      storeKey: `bootstrap:${url}`,
      mediaType: 'application/json',
      decode: readJson,
      parse: readBootstrap,
      builtIn: once(() => readBootstrap(table)),
      isBuiltInCopy: url === ianaUrl,
    };
    super(type, options);
    this.#url = url;
  }

  /** Returns the source of the current services. */
  info(): BootstrapInfo {
    const { document } = this;
    return {
      source: document === undefined ? 'built-in' : publicSource(this.#url),
      publishedAt: publicationOf(document ?? table),
    };
  }
}

/**
 * Returns a URL without the parts that clients must not see: the path of a file, or a query string,
 * which may contain a secret.
 */
function publicSource(url: string): string {
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'file:' ? 'file' : `${origin}${pathname}`;
}
