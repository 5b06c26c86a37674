import table from './tld-table.json' with { type: 'json' };
import { DocumentLoader, type LoaderOptions } from './document-loader.ts';

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

/** Loads IANA's list of TLDs. */
export class TldListLoader extends DocumentLoader<ReadonlySet<string>> {
  /** Starts loading the list. */
  constructor(options: LoaderOptions) {
    const type = {
      name: 'list of TLDs',
      storeKey: `tlds:${options.url}`,
      mediaType: 'text/plain',
      decode: (body: Uint8Array) => new TextDecoder().decode(body),
      parse: (document: unknown) => parseTldList(String(document)),
      builtIn: () => builtInTlds,
      isBuiltInCopy: true,
    };
    super(type, options);
  }
}

/** IANA's list of TLDs, as `npm run bootstrap` last wrote it. */
export const builtInTlds: ReadonlySet<string> = new Set(
  table.labels.flatMap((line) => line.split(' ')),
);
