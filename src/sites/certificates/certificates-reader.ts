import type { Clock } from '../../clock.ts';
import { Problem } from '../../domain/problems.ts';
import type { CertificateList } from './certificate-list.ts';
import type { ReadFact } from '../site-facts.ts';
import type { FairSlots } from '../../outbound/queues/fair-slots.ts';
import type { HttpClient } from '../../outbound/client.ts';
import { mergeRows, parseSearchRows, type SearchResponse } from './search-rows.ts';

interface CertificatesReaderOptions {
  /** The address of a search with crt.sh's JSON form, such as `https://crt.sh/`. */
  readonly searchUrl: string;
  /** The name of the search in results; the host name of its address by default. */
  readonly source?: string;
  /** A client that allows the address, and responses of `maxSearchBytes`. */
  readonly client: Pick<HttpClient, 'get'>;
  /** The slots of the search, which all accounts share. */
  readonly slots: Pick<FairSlots, 'acquire'>;
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
export function certificatesReader(options: CertificatesReaderOptions): ReadFact<'certificates'> {
  const { searchUrl, slots } = options;
  return async ({ target: { host } }, request) => {
    const release = await slots.acquire(request);
    if (!release) throw neverSent();
    try {
      request.onSent?.();
      return await searchAll(options, searchUrl, host);
    } finally {
      release();
    }
  };
}

async function searchAll(
  options: CertificatesReaderOptions,
  searchUrl: string,
  host: string,
): Promise<CertificateList> {
  // The rest of the URL may be internal or secret.
  const { source = new URL(searchUrl).hostname } = options;
  const deadline = options.clock.elapsed() + timeoutMs;
  // crt.sh matches whole names: `%.name` does not match the name itself.
  const own = await search(options, searchUrl, host, host, deadline);
  const below = await search(options, searchUrl, `%.${host}`, host, deadline);
  const certificates = mergeRows([...own.rows, ...below.rows]);
  return {
    source,
    certificates: certificates.slice(0, maxCertificates),
    isTruncated: own.isTruncated || below.isTruncated || certificates.length > maxCertificates,
  };
}

async function search(
  { client, clock }: CertificatesReaderOptions,
  searchUrl: string,
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
  return new Problem('ct_unavailable', `The certificate search ${reason}.`, {
    cause,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
