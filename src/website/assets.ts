import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { onceFulfilled, getOrInsert } from '../shared/memoize.ts';
import type { Handler } from '../server/http-request-context.ts';

/** A file that browsers cache permanently: its path changes with its content. */
export interface Asset {
  readonly path: string;
  readonly handler: Handler;
}

/** Returns a file of `pages/` at a path with its content hash. Throws if it does not exist. */
export function pageAsset(name: string): Asset {
  const file = join(import.meta.dirname, name);
  return createAsset(`/assets/${versionOf([file])}/${basename(file)}`, file);
}

/**
 * Returns files of a folder in `pages/`. Their paths share one hash of all contents, so that the
 * files can import each other by name. Throws if one does not exist.
 */
export function pageFolder(folder: string, names: readonly string[]): readonly Asset[] {
  const files = names.map((name) => join(import.meta.dirname, folder, name));
  return files.map((file) => createAsset(`/assets/${versionOf(files)}/${basename(file)}`, file));
}

/**
 * The hashes by paths. The gateways of a process share them, because the files of the package do not
 * change: reading and hashing 4 MB takes 7 ms of the 40 ms in which a gateway starts.
 */
const versions = new Map<string, string>();

/** Returns a hash of the contents of files. Throws if one does not exist. */
function versionOf(files: readonly string[]): string {
  return getOrInsert(versions, files.join('\n'), () => {
    const hash = createHash('sha256');
    for (const file of files) hash.update(readFileSync(file));
    return hash.digest('hex').slice(0, 12);
  });
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/**
 * The files by their paths, which the gateways of a process share, too: encoding those of the search
 * page takes 0.15 s.
 */
const assetsByPath = new Map<string, Asset>();

function createAsset(path: string, file: string): Asset {
  return getOrInsert(assetsByPath, path, () => ({
    path,
    handler: compressedHandler(() => readFile(file), {
      'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
      // The list of all headers that the APIs expose would be a sixth of the search page's bytes.
      'access-control-expose-headers': 'X-Request-Id',
    }),
  }));
}

/**
 * Reads a page of `pages/`, with the names of files replaced by their paths. These are relative to
 * `/`, so that they also work behind a proxy with a path prefix.
 */
export function pageTemplate(name: string, assets: readonly Asset[]): string {
  return assets.reduce(
    (text, { path }) => text.replace(`="${basename(path)}"`, `="${path.slice(1)}"`),
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  );
}

/** Lets a page load the files of this gateway, and no others. */
export const ownFilesOnly: readonly string[] = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
];

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
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
  };
}

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

    return {
      status: 200,
      headers:
        encoding === 'identity' ? allHeaders : { ...allHeaders, 'content-encoding': encoding },
      body: await encoded[encoding](),
    };
  };
}

function cachedEncodings(make: () => Promise<string | Uint8Array>) {
  const plain = onceFulfilled(async () => Buffer.from(await make()));
  return {
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
}
