import { Problem } from '../domain/problems.ts';
import { connectionFailure, isCertificateError } from '../outbound/connect-errors.ts';
import { ResponseLimitError } from '../outbound/connection.ts';
import { UnreadableBodyError } from '../outbound/encodings.ts';
import { ForbiddenAddressError } from '../outbound/public-address.ts';
import { ConnectError } from '../outbound/site-exchange.ts';
import { errorCode } from '../shared/error-code.ts';
import type { SiteTarget } from './site-target.ts';

/** The time limit of a request passed. */
export class SiteTimeoutError extends Error {}

/** Codes of a name that has no address, which another request does not change. */
const absences = new Set(['ENOTFOUND', 'ENODATA']);

const dnsErrors = new Set(['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'ESERVFAIL', 'ETIMEOUT']);

/**
 * Returns the problem of a failed request. `site_blocked`: the address is not public.
 * `site_timeout`: no complete response in time. `site_unreachable`: DNS, TCP, TLS or HTTP failed.
 */
export function problemOf(error: unknown, { host }: URL): Problem {
  if (error instanceof Problem) return error;

  const reason = error instanceof ConnectError ? error.cause : error;
  const options = { cause: error };
  if (reason instanceof ForbiddenAddressError)
    return new Problem('site_blocked', `${host} does not have a public address.`, options);
  if (reason instanceof SiteTimeoutError || errorCode(reason) === 'UND_ERR_CONNECT_TIMEOUT')
    return new Problem('site_timeout', `${host} did not respond in time.`, options);

  return new Problem('site_unreachable', `${host} ${failureOf(error, reason)}.`, {
    ...options,
    isPermanent: absences.has(errorCode(reason)) || isCertificateError(reason),
  });
}

function failureOf(error: unknown, reason: unknown): string {
  if (reason instanceof UnreadableBodyError || reason instanceof ResponseLimitError)
    return reason.message;

  const isConnected = !(error instanceof ConnectError);
  const otherwise = isConnected
    ? 'closed the connection before the end of its response'
    : 'could not be reached';

  return connectionFailure(reason) ?? otherwise;
}

/** Returns the problem of a site whose redirects lead to no page. `text` says what it does. */
export function redirectProblem({ host }: URL, text: string): Problem {
  return new Problem('site_unreachable', `${host} ${text}.`, { isPermanent: true });
}

/**
 * Returns whether the same site may be read over plain HTTP: no TLS connection could be
 * established. An invalid certificate is no reason, because the site then has TLS, and neither is a
 * failure of the DNS or a forbidden address, which plain HTTP would not change.
 */
export function mayTryPlainHttp(problem: unknown): boolean {
  const error = problem instanceof Problem ? problem.cause : undefined;
  if (!(error instanceof ConnectError) || error.cause instanceof ForbiddenAddressError)
    return false;
  return !isCertificateError(error.cause) && !dnsErrors.has(errorCode(error.cause));
}

/**
 * Returns a copy of a problem that can be cached: its cause has no data of the site, such as the
 * bytes of an invalid response. `mayTryPlainHttp` returns the same for the copy.
 */
export function withoutData(problem: Problem): Problem {
  const { code, message, retryable, retryAfter } = problem;
  return new Problem(code, message, {
    isPermanent: !retryable,
    retryAfter,
    ...(mayTryPlainHttp(problem) && { cause: new ConnectError('The connection failed.') }),
  });
}

/**
 * Reads a page: at its URL if the caller named it, else over HTTPS, and over plain HTTP if no TLS
 * connection can be established. If plain HTTP fails too, rejects with the problem of HTTPS.
 */
export async function withPlainHttp<T>(
  { url, isExact }: SiteTarget,
  read: (url: URL) => Promise<T>,
): Promise<T> {
  try {
    return await read(url);
  } catch (error) {
    if (isExact || url.protocol !== 'https:' || !mayTryPlainHttp(error)) throw error;
    const plain = new URL(url);
    plain.protocol = 'http:';
    return await read(plain).catch(() => Promise.reject(error));
  }
}
