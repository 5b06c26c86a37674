import { Resolver } from 'node:dns/promises';
import { parse } from 'tldts';
import { withTimeLimit, type Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import { errorCode } from '../../shared/error-code.ts';
import type { SiteRequest } from '../site-facts.ts';
import type { CaaProperty, MailServer, StartOfAuthority } from './dns-records.ts';

/** What the readers of DNS records need. */
export interface RecordsOptions {
  /** Creates a resolver for a host. It is cancelled after the read. */
  readonly resolverOf: (host: string) => Resolver;
  /** Returns whether the records of a host may be read. */
  readonly isPublic: (host: string) => boolean;
  /**
   * Waits for a slot of the site. Returns a function that releases it; undefined if the queue
   * deadline or the signal ends the wait.
   */
  readonly acquireSlot: (host: string, request: SiteRequest) => Promise<(() => void) | undefined>;
  readonly clock: Clock;
}

/** Queries are retried at each resolver, so several slow resolvers could take longer. */
const maxReadMs = 5000;

/**
 * Calls `read` with a resolver and returns its result: records of a host or of a name under it.
 * Waits for a slot of the site first. Rejects with `site_blocked` if the host is not public, and with
 * `site_timeout` without a slot or after five seconds.
 */
export async function readRecords<T>(
  { resolverOf, isPublic, acquireSlot, clock }: RecordsOptions,
  host: string,
  request: SiteRequest,
  read: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  if (!isPublic(host))
    throw new Problem('site_blocked', `${host} is not a public name, so its records are not read.`);

  const timeout = () =>
    new Problem('site_timeout', `The DNS records of ${host} were not read in time.`);
  const release = await acquireSlot(host, request);
  if (!release) throw timeout();

  const resolver = resolverOf(host);
  try {
    request.onSent?.();
    const found = read(resolver).then((value) => ({ value }));
    const result = await withTimeLimit(found, { clock, ms: maxReadMs, signal: request.signal });
    if (!result) throw timeout();
    return result.value;
  } finally {
    resolver.cancel();
    release();
  }
}

/** The records of a name of one type; `empty` if it has none of this type, `missing` for NXDOMAIN. */
type QueryResult<T> = { readonly records: T } | 'empty' | 'missing';

/**
 * Waits for a query about a name. Rejects with `site_timeout` or `site_unreachable` unless the
 * records, or their absence, are known.
 */
export async function queryResult<T>(query: Promise<T>, name: string): Promise<QueryResult<T>> {
  try {
    return { records: await query };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENODATA') return 'empty';
    if (code === 'ENOTFOUND') return 'missing';
    throw problemOf(code, name, error);
  }
}

/** Returns the records of a result; an empty list if there are none. */
export function recordsIn<T>(result: QueryResult<readonly T[]>): readonly T[] {
  return typeof result === 'object' ? result.records : [];
}

function problemOf(code: string, name: string, cause: unknown): Problem {
  return code === 'ETIMEOUT'
    ? new Problem('site_timeout', `The DNS servers of ${name} did not respond in time.`, { cause })
    : new Problem('site_unreachable', `The DNS records of ${name} could not be read.`, { cause });
}

/**
 * Creates a resolver of DNS records. It reads the configuration of the system once, so create one
 * for each read. `servers`: `ADDRESS` or `ADDRESS:PORT`, instead of the system's resolvers.
 */
export function createResolver(servers?: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 1500, tries: 2, maxTimeout: 2500 });
  if (servers) resolver.setServers(servers);
  return resolver;
}

/**
 * Returns whether a host is under a suffix of ICANN's part of the Public Suffix List. The records of
 * other names, such as those under `internal`, are those of the operator's network. Resolvers also
 * have local zones under `arpa`, such as `home.arpa` (RFC 8375) and those of RFC 6303. Node's resolver
 * answers for `onion` itself, without a query (RFC 7686).
 */
export function isPublicName(host: string): boolean {
  return parse(host).isIcann === true && !/(?:^|\.)(?:arpa|onion)$/.test(host);
}

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
  return utf8.decode(Buffer.from(strings.join(''), 'latin1')).slice(0, maxTextLength);
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
