import { withTimeLimit, type Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import {
  compareCertificates,
  type CertificateList,
  type LoggedCertificate,
} from './certificate-list.ts';
import type { ReadFact, SiteRequest } from '../site-facts.ts';
import type { HttpClient } from '../../outbound/client.ts';
import type { searchLimits } from '../site-slots.ts';
import { isObject, jsonIn } from '../../shared/shapes.ts';

export interface CertificatesReaderOptions {
  /** The address of a search with crt.sh's JSON form, such as `https://crt.sh/`. */
  readonly searchUrl: string;
  /** A client that allows the address, and responses of `maxSearchBytes`. */
  readonly client: Pick<HttpClient, 'get'>;
  readonly limits: ReturnType<typeof searchLimits>;
  readonly clock: Clock;
}

/** Maximum size of a response of the search: about 20,000 rows of crt.sh. */
export const maxSearchBytes = 8 * 1024 * 1024;

const maxCertificates = 10_000;
const timeoutMs = 30_000;

/**
 * Creates the reader of the certificates of a name and the names under it, from a search of
 * Certificate Transparency logs (RFC 9162). It rejects with `ct_unavailable` if the search fails, and
 * with `site_timeout` without a slot or after 30 seconds.
 */
export function certificatesReader(options: CertificatesReaderOptions): ReadFact<CertificateList> {
  const { limits } = options;
  return async ({ target: { host } }, request) => {
    const release = await limits.slots.acquire(request);
    if (!release) throw neverSent();
    try {
      if (!(await waitForTurn(options, request))) throw neverSent();
      request.onSent?.();
      return await searchAll(options, host);
    } finally {
      release();
    }
  };
}

async function searchAll(
  options: CertificatesReaderOptions,
  host: string,
): Promise<CertificateList> {
  // The rest of the URL may be internal or secret.
  const source = new URL(options.searchUrl).hostname;
  const deadline = options.clock.elapsed() + timeoutMs;

  // crt.sh matches whole names: `%.name` does not match the name itself.
  const own = await search(options, host, host, deadline);
  await waitForTurn(options);
  const below = await search(options, `%.${host}`, host, deadline);
  const certificates = mergeRows([...own.rows, ...below.rows]);

  return {
    source,
    certificates: certificates.slice(0, maxCertificates),
    isTruncated: own.isTruncated || below.isTruncated || certificates.length > maxCertificates,
  };
}

/**
 * Waits until a request may be sent. Returns false if it may not before the queue deadline of
 * `request`, or if nobody waits for it any more.
 */
async function waitForTurn(
  { limits: { rate }, clock }: CertificatesReaderOptions,
  request?: Pick<SiteRequest, 'queueDeadline' | 'signal'>,
): Promise<boolean> {
  while (!rate.take(clock.now())) {
    const readyAt = rate.readyAt(1, clock.now());
    if (request && (request.signal.aborted || readyAt > request.queueDeadline)) return false;
    const limit = { clock, ms: readyAt - clock.now(), ...(request && { signal: request.signal }) };
    await withTimeLimit(new Promise(() => {}), limit);
  }
  return true;
}

async function search(
  { searchUrl, client, clock }: CertificatesReaderOptions,
  pattern: string,
  host: string,
  deadline: number,
): Promise<SearchResponse> {
  const url = new URL(searchUrl);
  url.searchParams.set('q', pattern);
  url.searchParams.set('output', 'json');

  // Decompression is limited to the size of registry responses.
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  const response = await client.get(
    url.href,
    headers,
    Math.max(1, Math.ceil(deadline - clock.elapsed())),
  );
  if ('problem' in response)
    throw response.failure === 'timeout'
      ? new Problem('site_timeout', 'The certificate search did not respond in 30 seconds.')
      : unavailable('could not be reached, or its response is not accepted', response.problem);
  if (response.status !== 200)
    throw unavailable(`responded with status ${response.status}`, undefined, response.retryAfter);

  const parsed = parseSearchRows(response.body, host);
  if (!parsed) throw unavailable('sent a response that is not a JSON list');

  return parsed;
}

function neverSent(): Problem {
  const detail = 'The certificate search was not queried. Too many searches are queued.';
  return new Problem('site_timeout', detail);
}

function unavailable(reason: string, cause?: unknown, retryAfter?: number): Problem {
  return new Problem('ct_unavailable', `The certificate search ${reason}.`, { cause, retryAfter });
}

/** A certificate with what tells it from others: a pre-certificate has the same identity. */
interface SearchRow {
  readonly certificate: LoggedCertificate;
  readonly identity: string;
}

const maxNames = 1000;
const maxTextLength = 500;

interface SearchResponse {
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
  const list = jsonIn(new TextDecoder().decode(body));
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
