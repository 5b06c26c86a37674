import table from './tld-table.json' with { type: 'json' };
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';
import { assertPlausible, changesBetween } from './entry-changes.ts';

const ianaHost = 'data.iana.org';
const listPath = '/TLD/tlds-alpha-by-domain.txt';

/**
 * Returns the URL of IANA's list of TLDs if the bootstrap document is IANA's: an operator who loads
 * it from elsewhere may not want connections to IANA.
 */
export function tldListUrl(bootstrapUrl: string): string | undefined {
  const { hostname } = new URL(bootstrapUrl);
  return hostname === ianaHost ? new URL(listPath, bootstrapUrl).href : undefined;
}

/**
 * Parses IANA's list of TLDs: one A-label per line, and comments. Throws an Error with the reason.
 */
export function parseTldList(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => line.trim().toLowerCase());
  const labels = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const invalid = labels.find((label) => !/^[a-z0-9-]{2,63}$/.test(label));
  if (invalid !== undefined)
    throw new Error(`${JSON.stringify(invalid.slice(0, 80))} is not a TLD`);
  return new Set(labels);
}

/** Loads IANA's list of TLDs. Until it is loaded, or without a URL, the built-in list is used. */
export class TldListLoader {
  /** Settles after the first attempt to load the list, or after two seconds. Never rejects. */
  readonly settled: Promise<void>;
  readonly #loader: DocumentLoader<ReadonlySet<string>> | undefined;

  /** Starts loading the list. */
  constructor({
    url,
    ...options
  }: Omit<LoaderOptions, 'url'> & { readonly url: string | undefined }) {
    this.#loader = url === undefined ? undefined : createLoader({ url, ...options });
    this.settled = this.#loader?.settled ?? Promise.resolve();
  }

  /** Returns the TLDs. The set remains the same object until a TLD is added or removed. */
  current(): ReadonlySet<string> {
    return this.#loader?.lastGood?.value ?? builtInTlds;
  }

  /** Stops loading. A response that arrives later is neither stored nor logged. */
  stop(): void {
    this.#loader?.stop();
  }
}

function createLoader(options: LoaderOptions): DocumentLoader<ReadonlySet<string>> {
  const loader: DocumentLoader<ReadonlySet<string>> = new DocumentLoader(
    {
      name: 'list of TLDs',
      storeKey: `tlds:${options.url}`,
      mediaType: 'text/plain',
      decode: (body) => new TextDecoder().decode(body),
      parse: (document) => parseTldList(String(document)),
      accept(tlds, lastGood = builtInTlds) {
        assertPlausible(tlds, lastGood);
        const changes = changesBetween(lastGood, tlds);
        // The version in the first line changes daily, even if no TLD does.
        if (Object.keys(changes).length === 0) return lastGood;
        options.log.info({ entries: tlds.size, ...changes }, 'List of TLDs loaded.');
        return tlds;
      },
      size: () => (loader.lastGood?.value ?? builtInTlds).size,
    },
    options,
  );
  return loader;
}

/** IANA's list of TLDs, as `npm run bootstrap` last wrote it. */
export const builtInTlds: ReadonlySet<string> = new Set(
  table.labels.flatMap((line) => line.split(' ')),
);
