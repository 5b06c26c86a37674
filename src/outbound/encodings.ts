import { promisify } from 'node:util';
import {
  gunzip,
  inflate,
  constants,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib';
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

/** Collects a body while it arrives, and decodes it up to a limit. */
export interface BodyDecoder {
  /** Returns whether more can be written at once; otherwise `onDrain` is called later. */
  write(chunk: Uint8Array): boolean;
  /** Marks the end of the body. */
  end(): void;
  /** Frees the decoder. */
  destroy(): void;
  /** What was decoded so far. */
  readonly body: Uint8Array;
}

interface BodyDecoderOptions {
  /** Of the decoded body. */
  readonly maxBytes: number;
  readonly onDrain: () => void;
  /** Called once: at the end, or when the body is longer than `maxBytes`. */
  readonly onEnd: (isTruncated: boolean) => void;
  readonly onError: (error: Error) => void;
}

/** Returns a decoder of gzip, deflate or no encoding. Throws `UnreadableBodyError`. */
export function bodyDecoder(encoding: string, options: BodyDecoderOptions): BodyDecoder {
  // A body that ends early is decoded as far as it goes.
  const finishFlush = constants.Z_SYNC_FLUSH;
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return new PlainBody(options);
    case 'gzip':
    case 'x-gzip':
      return new CompressedBody(createGunzip({ finishFlush }), options);
    case 'deflate':
      return new CompressedBody(createInflate({ finishFlush }), options);
    default:
      // Brotli is never decoded: see above.
      throw new UnreadableBodyError('sent a body with an encoding that was not accepted');
  }
}

const minCapacity = 16 * 1024;

/** Copies what is written: a body of one-byte chunks would otherwise need 100 bytes per byte. */
class PlainBody implements BodyDecoder {
  readonly #options: BodyDecoderOptions;
  #content = new Uint8Array();
  #bytes = 0;
  #isTruncated = false;

  constructor(options: BodyDecoderOptions) {
    this.#options = options;
  }

  get body(): Uint8Array {
    // Without the unused part of the buffer.
    return this.#content.slice(0, this.#bytes);
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isTruncated) return true;
    const { maxBytes, onEnd } = this.#options;
    const part = chunk.subarray(0, maxBytes - this.#bytes);
    this.#reserve(this.#bytes + part.length);
    this.#content.set(part, this.#bytes);
    this.#bytes += part.length;
    this.#isTruncated = part.length < chunk.length;
    if (this.#isTruncated) onEnd(true);
    return true;
  }

  end(): void {
    if (!this.#isTruncated) this.#options.onEnd(false);
  }

  destroy(): void {}

  #reserve(bytes: number): void {
    const capacity = this.#content.length;
    if (bytes <= capacity) return;
    const doubled = Math.max(bytes, 2 * capacity, minCapacity);
    const grown = new Uint8Array(Math.min(doubled, this.#options.maxBytes));
    grown.set(this.#content);
    this.#content = grown;
  }
}

class CompressedBody implements BodyDecoder {
  readonly #stream: Gunzip | Inflate;
  readonly #output: PlainBody;

  constructor(stream: Gunzip | Inflate, options: BodyDecoderOptions) {
    this.#output = new PlainBody(options);
    this.#stream = stream
      .on('data', (chunk: Uint8Array) => this.#output.write(chunk))
      .on('drain', options.onDrain)
      .on('end', () => this.#output.end())
      .on('error', (cause) =>
        options.onError(new UnreadableBodyError('sent a body that cannot be decoded', { cause })),
      );
  }

  get body(): Uint8Array {
    return this.#output.body;
  }

  write(chunk: Uint8Array): boolean {
    return this.#stream.destroyed || this.#stream.write(chunk);
  }

  end(): void {
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }
}
