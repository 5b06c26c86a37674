import { keyOfHost, type Fact } from '../fact.ts';
import { siteOf } from '../sandbox/sandbox-site.ts';
import { resultField, type Feature } from '../site-field.ts';
import type { SiteQuery } from '../site-facts.ts';
import { lookupOf } from '../site-lookup.ts';

/** The records at `_for-sale.NAME` (RFC 10023). */
export interface ForSale {
  /** Whether there is a record with the version tag. */
  readonly isForSale: boolean;
  /** The contents of the valid records, in the order of the response. */
  readonly offers: readonly SaleOffer[];
}

/** One record of an offer; at most one of code, text, URI and price is set. */
export interface SaleOffer {
  /**
   * The content after the version tag, as published; of a URI such as `mailto:`, which is personal
   * data, only the scheme.
   */
  readonly content: string;
  readonly code: string | null;
  readonly text: string | null;
  /** An `http:` or `https:` URI. */
  readonly uri: string | null;
  /** An ISO 4217 code or another currency. */
  readonly currency: string | null;
  /** A decimal number, as published. */
  readonly amount: string | null;
}

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

/** Reads the records with one query at `_for-sale.NAME` (RFC 10023). */
const fact: Fact<ForSale> = {
  name: 'forSale',
  from: 'dns',
  keyOf: keyOfHost,
  async open({ records }) {
    const dns = await import('../dns/read-records.ts');
    return async ({ target: { host } }, request) => {
      // RFC 10023 excludes names under .arpa.
      if (host.endsWith('.arpa')) return parseForSale([]);

      const name = `_for-sale.${host}`;
      const result = await dns.readRecords(records, host, request, (resolver) =>
        dns.queryResult(resolver.resolveTxt(name), name),
      );

      return parseForSale(dns.sortedRecords(dns.recordsIn(result).map(dns.textOf), String));
    };
  },
  sandbox: async (query) => sandboxOffers(query),
};

/** Returns the offers of sale (RFC 10023) of names that start with `taken-for-sale`. */
function sandboxOffers({ target: { host } }: SiteQuery): ForSale {
  if (!host.startsWith('taken-for-sale') || !siteOf(host)) return parseForSale([]);

  const contents = [
    'ftxt=An example of the sandbox. This name is not for sale.',
    `furi=https://${host}/`,
    'fval=EUR999',
  ];

  return parseForSale(contents.map((content) => `v=FORSALE1;${content}`));
}

const lookup = lookupOf(fact, { price: 1, workMs: 1, about: 'host' });

/** The feature `forSale`: whether the DNS offers a name for sale. */
export const forSale = {
  lookup,
  field: resultField('ForSale', lookup),
} satisfies Feature;
