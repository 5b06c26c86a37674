import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
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
