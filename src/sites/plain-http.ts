import type { SiteTarget } from './site-target.ts';
import { mayTryPlainHttp } from './site-problems.ts';

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
