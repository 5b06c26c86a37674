import { promisify } from 'node:util';
import { constants, createGunzip, createInflate, gunzip, inflate } from 'node:zlib';
import { maxBodyBytes } from './dispatcher.ts';

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  // Requests accept only gzip. Brotli is never decoded, because the decoder of Node before 24.22.1
  // and 26.12.1 can write outside its buffer (CVE-2026-111497).
  ['br', () => Promise.reject(new Error('Brotli is not accepted.'))],
]);

export class UnreadableBodyError extends Error {}

/**
 * Decodes a body. Returns it unchanged if the encoding is unknown. Rejects with
 * `UnreadableBodyError`.
 */
export async function decodeBody(body: Uint8Array, encoding = 'identity'): Promise<Uint8Array> {
  const decode = decoders.get(encoding.trim().toLowerCase());
  if (!decode || body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    throw new UnreadableBodyError('sent a body that cannot be decoded or is larger than 1 MiB', {
      cause: error,
    });
  }
}

/** The encodings of which the start of a body can be decoded. */
const streams = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
]);

/**
 * Returns whether an encoding compresses. Throws `UnreadableBodyError` for one that is not decoded,
 * such as Brotli: see above.
 */
export function isCompressed(encoding: string): boolean {
  if (streams.has(encoding)) return true;
  if (encoding === '' || encoding === 'identity') return false;
  throw new UnreadableBodyError('sent a body with an encoding that was not accepted');
}

/**
 * Decodes a body up to a limit, as far as it goes if it ends early. `isTruncated`: it is longer.
 * Rejects with `UnreadableBodyError`.
 */
export async function decodeStart(body: Uint8Array, encoding: string, maxBytes: number) {
  const stream = streams.get(encoding)?.({ finishFlush: constants.Z_SYNC_FLUSH });
  if (!stream || body.length === 0) return { body, isTruncated: false };

  const decoded = new LimitedBody(maxBytes);
  const parts: AsyncIterable<Uint8Array> = stream.end(body);
  try {
    for await (const part of parts)
      if (!decoded.add(part)) return { body: decoded.bytes, isTruncated: true };
    return { body: decoded.bytes, isTruncated: false };
  } catch (cause) {
    throw new UnreadableBodyError('sent a body that cannot be decoded', { cause });
  }
}

const minCapacity = 16 * 1024;

/**
 * A body that is collected up to a limit. Copies what is added: a body of one-byte chunks would
 * otherwise need 100 bytes per byte.
 */
export class LimitedBody {
  readonly #maxBytes: number;
  #content = new Uint8Array();
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What was added so far, without the unused part of the buffer. */
  get bytes(): Uint8Array {
    return this.#content.slice(0, this.#length);
  }

  /** Adds a chunk as far as it fits. Returns whether all of it did. */
  add(chunk: Uint8Array): boolean {
    const part = chunk.subarray(0, this.#maxBytes - this.#length);
    this.#reserve(this.#length + part.length);
    this.#content.set(part, this.#length);
    this.#length += part.length;
    return part.length === chunk.length;
  }

  #reserve(bytes: number): void {
    const capacity = this.#content.length;
    if (bytes <= capacity) return;
    const doubled = Math.max(bytes, 2 * capacity, minCapacity);
    const grown = new Uint8Array(Math.min(doubled, this.#maxBytes));
    grown.set(this.#content);
    this.#content = grown;
  }
}
