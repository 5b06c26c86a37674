import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { maxBodyBytes } from './dispatcher.ts';

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

export class UnreadableBodyError extends Error {}

/** Unpacks a body; one in an encoding that nobody asked for is left as it is. Throws `UnreadableBodyError`. */
export async function decoded(body: Uint8Array, encoding = 'identity'): Promise<Uint8Array> {
  const decode = decoders.get(encoding.trim().toLowerCase());
  if (!decode || body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    throw new UnreadableBodyError('sent a body that cannot be unpacked or is larger than 1 MiB', { cause: error });
  }
}
