import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { onceFulfilled } from '../../memoize.ts';
import type { HttpRequestContext, Handler, HttpResponse } from '../http-request-context.ts';

/** A file that browsers cache permanently: its path changes with its content. */
interface Asset {
  readonly path: string;
  readonly handler: Handler;
}

/** Returns a file of `pages/` at a path with its content hash. Throws if it does not exist. */
export function pageAsset(name: string): Asset {
  const file = join(import.meta.dirname, name);
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
  return createAsset(`/assets/${hash}/${basename(file)}`, file);
}

/**
 * Returns files of a folder in `pages/`. Their paths share one hash of all contents, so that the
 * files can import each other by name. Throws if one does not exist.
 */
export function pageFolder(folder: string, names: readonly string[]): readonly Asset[] {
  const files = names.map((name) => join(import.meta.dirname, folder, name));
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  const version = hash.digest('hex').slice(0, 12);
  return files.map((file) => createAsset(`/assets/${version}/${basename(file)}`, file));
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const encodings = ['br', 'gzip', 'identity'] as const;

function createAsset(path: string, file: string): Asset {
  const encodedBody = cachedEncodings(file);
  const headers = {
    'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'Accept-Encoding',
  };
  async function handler({ request }: HttpRequestContext): Promise<HttpResponse> {
    const accepted = new Negotiator(request).encodings(encodings);
    const encoding = encodings.find((offered) => accepted.includes(offered)) ?? 'identity';
    const body = await encodedBody(encoding);
    return {
      status: 200,
      headers: encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
      body,
    };
  }
  return { path, handler };
}

/** Returns a function that reads and encodes a file on first use, once per encoding. */
function cachedEncodings(file: string): (encoding: (typeof encodings)[number]) => Promise<Buffer> {
  const plain = onceFulfilled(() => readFile(file));
  const bodies = {
    // A higher quality saves another tenth of the size, but delays the first response by a second.
    br: onceFulfilled(async () =>
      promisify(brotliCompress)(await plain(), { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    ),
    gzip: onceFulfilled(async () => promisify(gzip)(await plain())),
    identity: plain,
  };
  return (encoding) => bodies[encoding]();
}

/** Returns the headers of an HTML page that may load only what `policy` allows, and not be framed. */
export function pageHeaders(
  policy: readonly string[],
  cacheControl: string,
): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      ...policy,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': cacheControl,
    'referrer-policy': 'no-referrer',
  };
}
