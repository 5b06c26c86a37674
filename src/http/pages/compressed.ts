import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { onceFulfilled } from '../../shared/memoize.ts';
import type { Handler } from '../http-request-context.ts';

const encodings = ['br', 'gzip', 'identity'] as const;
const maxBestQualityBytes = 32 * 1024;

/**
 * Serves a body in an encoding that the client accepts. The body is made at the first request, and
 * encoded once per encoding.
 */
export function compressedHandler(
  make: () => Promise<string | Uint8Array>,
  headers: Readonly<Record<string, string>>,
): Handler {
  const encoded = cachedEncodings(make);
  const allHeaders = { ...headers, vary: 'Accept-Encoding' };
  return async ({ request }) => {
    const accepted = new Negotiator(request).encodings(encodings);
    const encoding = encodings.find((offered) => accepted.includes(offered)) ?? 'identity';
    const body = await encoded(encoding);
    return {
      status: 200,
      headers:
        encoding === 'identity' ? allHeaders : { ...allHeaders, 'content-encoding': encoding },
      body,
    };
  };
}

function cachedEncodings(
  make: () => Promise<string | Uint8Array>,
): (encoding: (typeof encodings)[number]) => Promise<Buffer> {
  const plain = onceFulfilled(async () => Buffer.from(await make()));
  const bodies = {
    br: onceFulfilled(async () => {
      const body = await plain();
      // The highest saves another tenth of the size. For a large body, it would take a second.
      const quality = body.length <= maxBestQualityBytes ? constants.BROTLI_MAX_QUALITY : 6;
      return promisify(brotliCompress)(body, {
        params: { [constants.BROTLI_PARAM_QUALITY]: quality },
      });
    }),
    gzip: onceFulfilled(async () => promisify(gzip)(await plain())),
    identity: plain,
  };
  return (encoding) => bodies[encoding]();
}
