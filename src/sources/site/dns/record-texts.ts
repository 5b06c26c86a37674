import type { Resolver } from 'node:dns/promises';
import type {
  CertificationAuthority,
  MailServer,
  StartOfAuthority,
} from '../../../domain/site/dns-records.ts';

type CaaRecord = Awaited<ReturnType<Resolver['resolveCaa']>>[number];
type MxRecord = Awaited<ReturnType<Resolver['resolveMx']>>[number];
export type SoaRecord = Awaited<ReturnType<Resolver['resolveSoa']>>;

const maxRecords = 100;
const maxTextLength = 4096;

/** Returns the records in a stable order, since resolvers rotate them. */
export function bounded<T>(records: readonly T[], keyOf: (record: T) => string): readonly T[] {
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

/** `exchange` is empty if the name accepts no mail (RFC 7505). */
export function mailServerOf({ priority, exchange }: MxRecord): MailServer {
  return { priority, exchange: nameOf(exchange) };
}

/**
 * Returns a CAA record (RFC 8659 section 4). `node:dns` returns its tag as the key of its value, and
 * tags that Node does not know too, such as `issuemail` (RFC 9495).
 */
export function authorityOf(record: CaaRecord): CertificationAuthority | undefined {
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

export function startOfAuthority(record: SoaRecord): StartOfAuthority {
  const { serial, refresh, retry, expire, minttl } = record;
  const [nameserver, hostmaster] = [nameOf(record.nsname), nameOf(record.hostmaster)];
  return { nameserver, hostmaster, serial, refresh, retry, expire, minimumTtl: minttl };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function utf8Of(octets: string): string {
  return utf8.decode(Buffer.from(octets, 'latin1'));
}
