import type { LoggedCertificate } from './certificate-list.ts';
import { compareCertificates } from './certificate-pages.ts';
import { isObject } from '../../shared/shapes.ts';

/** A certificate with what tells it from others: a pre-certificate has the same identity. */
interface SearchRow {
  readonly certificate: LoggedCertificate;
  readonly identity: string;
}

const maxNames = 1000;
const maxTextLength = 500;

/** What a search returned. */
export interface SearchResponse {
  readonly rows: readonly SearchRow[];
  /** Whether the search may have more: crt.sh returns at most about 10,000 rows. */
  readonly isTruncated: boolean;
}

const maxReturnedRows = 10_000;

/**
 * Parses a response of a search in crt.sh's JSON form. Returns undefined if it is not a list. Rows
 * that are invalid, or are not about `host` or names under it, are left out.
 */
export function parseSearchRows(body: Uint8Array, host: string): SearchResponse | undefined {
  const list = parseJson(body);
  if (!Array.isArray(list)) return undefined;
  const rows = list.flatMap((row) => (isObject(row) ? (parseRow(row, host) ?? []) : []));
  return { rows, isTruncated: list.length >= maxReturnedRows };
}

/** Returns each certificate once, newest first. */
export function mergeRows(rows: readonly SearchRow[]): LoggedCertificate[] {
  const merged = new Map<string, LoggedCertificate>();
  for (const { identity, certificate } of rows) {
    const other = merged.get(identity);
    merged.set(identity, other ? merge(other, certificate) : certificate);
  }
  return Array.from(merged.values()).toSorted(compareCertificates);
}

/** A search returns only the names that match it, so two searches return different ones. */
function merge(a: LoggedCertificate, b: LoggedCertificate): LoggedCertificate {
  // The first log entry keeps its id when the certificate of a pre-certificate appears.
  const first = Number(b.id) < Number(a.id) ? b : a;
  const names = Array.from(new Set([...a.names, ...b.names])).slice(0, maxNames);
  const loggedAt = Math.min(a.loggedAt ?? Infinity, b.loggedAt ?? Infinity);
  return { ...first, names, loggedAt: loggedAt === Infinity ? null : loggedAt };
}

function parseRow(row: Record<string, unknown>, host: string): SearchRow | undefined {
  const id = idOf(row['id']);
  const issuer = textOf(row['issuer_name']);
  const [notBefore, notAfter] = [timeOf(row['not_before']), timeOf(row['not_after'])];
  const commonName = textOf(row['common_name']);
  const names = dnsNamesOf(
    `${textOf(row['name_value'], maxNames * 256) ?? ''}\n${commonName ?? ''}`,
  );
  const isRelevant = names.some((name) => name === host || name.endsWith(`.${host}`));
  if (id === null || !issuer || notBefore === null || notAfter === null || !isRelevant)
    return undefined;
  const serial = textOf(row['serial_number']);
  return {
    identity: serial ? `${serial} ${issuer}` : id,
    certificate: {
      id,
      issuer,
      // An e-mail address is personal data.
      commonName: commonName?.includes('@') ? null : commonName,
      names,
      notBefore,
      notAfter,
      loggedAt: timeOf(row['entry_timestamp']),
      fingerprintSha256: null,
    },
  };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** crt.sh numbers its certificates. */
function idOf(value: unknown): string | null {
  const id = typeof value === 'number' ? String(value) : textOf(value);
  return id !== null && /^\d{1,15}$/.test(id) ? id : null;
}

function textOf(value: unknown, maxLength = maxTextLength): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxLength) : null;
}

/** Times are in UTC, and crt.sh writes them without a zone. */
function timeOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?$/.test(value))
    return null;
  const time = Date.parse(`${value.replace('Z', '')}Z`);
  return Number.isNaN(time) ? null : time;
}

/** Certificates may contain names with `_`, which are no host names, such as `foo_bar.example.com`. */
const dnsName = /^(?:\*\.)?(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)+(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Returns the DNS names of newline-separated names, without e-mail addresses and other texts. */
function dnsNamesOf(text: string): readonly string[] {
  const names = text.split('\n', maxNames + 1).map((name) => name.toLowerCase());
  const valid = names.filter((name) => name.length <= 255 && dnsName.test(name));
  return Array.from(new Set(valid)).slice(0, maxNames);
}
