import type { Resolver } from 'node:dns/promises';
import type { CaaProperty, MailServer, StartOfAuthority } from './dns-records.ts';

type CaaRecord = Awaited<ReturnType<Resolver['resolveCaa']>>[number];
type MxRecord = Awaited<ReturnType<Resolver['resolveMx']>>[number];
export type SoaRecord = Awaited<ReturnType<Resolver['resolveSoa']>>;

const maxRecords = 100;
const maxTextLength = 4096;

/** Sorts records by a key, because resolvers rotate them, and returns at most 100. */
export function sortedRecords<T>(
  records: readonly T[],
  keyOf: (record: T) => string,
): readonly T[] {
  return records
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))))
    .slice(0, maxRecords);
}

/** Returns a name in lower case, without a final dot. */
export function nameOf(name: string): string {
  return name.slice(0, maxTextLength).toLowerCase().replace(/\.$/, '');
}

/** Joins the strings of a TXT record. `node:dns` returns octets as Latin-1; most texts are UTF-8. */
export function textOf(strings: readonly string[]): string {
  return utf8Of(strings.join('')).slice(0, maxTextLength);
}

/** Converts an MX record. Its `exchange` is empty if the name accepts no mail (RFC 7505). */
export function mailServerOf({ priority, exchange }: MxRecord): MailServer {
  return { priority, exchange: nameOf(exchange) };
}

/**
 * Converts a CAA record (RFC 8659 section 4). `node:dns` returns the tag as the key of the value, also
 * one that Node does not know, such as `issuemail` (RFC 9495). Returns undefined without a tag.
 */
export function caaPropertyOf(record: CaaRecord): CaaProperty | undefined {
  const { critical, ...others } = record;
  const found = Object.entries(others).find(([key]) => key !== 'type');
  if (!found) return undefined;
  const [tag, value] = found;
  // Tags are compared without regard to case.
  return {
    isCritical: (critical & 0x80) !== 0,
    tag: tag.toLowerCase(),
    value: String(value).slice(0, maxTextLength),
  };
}

/** Converts an SOA record (RFC 1035 section 3.3.13). */
export function startOfAuthorityOf(record: SoaRecord): StartOfAuthority {
  const { serial, refresh, retry, expire, minttl } = record;
  const [nameserver, hostmaster] = [nameOf(record.nsname), nameOf(record.hostmaster)];
  return { nameserver, hostmaster, serial, refresh, retry, expire, minimumTtl: minttl };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function utf8Of(octets: string): string {
  return utf8.decode(Buffer.from(octets, 'latin1'));
}
