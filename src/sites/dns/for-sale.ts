import type { ForSale, SaleOffer } from './dns-records.ts';
import type { ReadFact } from '../site-facts.ts';
import {
  readRecords,
  queryResult,
  recordsIn,
  sortedRecords,
  textOf,
  type RecordsOptions,
} from './read-records.ts';

const version = 'v=FORSALE1;';
/** What 255 octets leave after the version tag and a content tag (RFC 10023). */
const maxValueBytes = 239;

/**
 * Parses the TXT records at `_for-sale.NAME` (RFC 10023). A record with the version tag counts even
 * if its content is absent or invalid; any other record is ignored.
 */
export function parseForSale(records: readonly string[]): ForSale {
  const contents = records
    .filter((record) => record.startsWith(version))
    .map((record) => record.slice(version.length).replace(/^ +/, ''));
  const offers = Array.from(new Set(contents), offerOf);
  return { isForSale: offers.length > 0, offers };
}

function offerOf(content: string): SaleOffer {
  const tag = content.slice(0, 5);
  const value = content.slice(5);
  const isValid = value !== '' && Buffer.byteLength(value) <= maxValueBytes;
  const valueOf = (wanted: string) => (isValid && tag === wanted ? value : null);
  const uri = valueOf('furi=');
  const price = /^([A-Z]+)(\d+(?:\.\d+)?)$/.exec(valueOf('fval=') ?? '');
  return {
    content: tag === 'furi=' ? `furi=${withoutAddress(value)}` : content,
    code: valueOf('fcod='),
    text: valueOf('ftxt='),
    uri: uri !== null && isWebAddress(uri) ? uri : null,
    currency: price?.[1] ?? null,
    amount: price?.[2] ?? null,
  };
}

/** Other schemes contain e-mail addresses and phone numbers. */
function isWebAddress(uri: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(uri) && URL.canParse(uri);
}

/** Removes everything but the scheme from URIs such as `mailto:someone@example.com`. */
function withoutAddress(uri: string): string {
  return isWebAddress(uri) ? uri : (/^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0] ?? '');
}

/** Creates the reader of for-sale records, which sends one query at `_for-sale.NAME` (RFC 10023). */
export function forSaleReader(options: RecordsOptions): ReadFact<'forSale'> {
  return async ({ target: { host } }, request) => {
    // RFC 10023 excludes names under .arpa.
    if (host.endsWith('.arpa')) return parseForSale([]);
    const name = `_for-sale.${host}`;
    const result = await readRecords(options, host, request, (resolver) =>
      queryResult(resolver.resolveTxt(name), name),
    );
    return parseForSale(sortedRecords(recordsIn(result).map(textOf), String));
  };
}
