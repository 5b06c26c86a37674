import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bodyDecoder, type BodyDecoder } from '../../src/outbound/encodings.ts';

interface Decoding {
  readonly decoder: BodyDecoder;
  /** The arguments of the calls of `onEnd`. */
  readonly ends: readonly boolean[];
}

function start(maxBytes: number): Decoding {
  const ends: boolean[] = [];
  const decoder = bodyDecoder('', {
    maxBytes,
    onDrain: () => {},
    onEnd: (isTruncated) => void ends.push(isTruncated),
    onError: (error) => {
      throw error;
    },
  });
  return { decoder, ends };
}

const textOf = ({ body }: BodyDecoder) => Buffer.from(body).toString();

describe('a body without an encoding', () => {
  it('is copied, so that its chunks are not kept', () => {
    const { decoder } = start(100_000);
    const chunk = Buffer.alloc(1);
    for (let index = 0; index < 60_000; index += 1) {
      chunk.fill(index % 251);
      decoder.write(chunk);
    }
    const written = Buffer.from(Uint8Array.from({ length: 60_000 }, (_, index) => index % 251));
    expect(written.equals(decoder.body)).toBe(true);
    expect(decoder.body.buffer.byteLength).toBe(60_000);
  });

  it.each([
    [['abcdef'], [false]],
    [['abc', 'def'], [false]],
    [['abc', 'def7'], [true]],
    [['abcdef', 'g', 'h'], [true]],
  ])('is cut off after its maximum size: %j', (chunks, expected) => {
    const { decoder, ends } = start(6);
    for (const chunk of chunks) decoder.write(Buffer.from(chunk));
    decoder.end();
    expect(textOf(decoder)).toBe('abcdef');
    expect(ends).toEqual(expected);
  });

  it('may be empty', () => {
    const { decoder, ends } = start(6);
    decoder.end();
    expect([decoder.body.length, ends]).toEqual([0, [false]]);
  });
});

it('decodes the small parts of a compressed body', async () => {
  const text = 'text '.repeat(20_000);
  const body = await new Promise<Uint8Array>((resolve, reject) => {
    const decoder = bodyDecoder('gzip', {
      maxBytes: 200_000,
      onDrain: () => {},
      onEnd: () => resolve(decoder.body),
      onError: reject,
    });
    for (const byte of gzipSync(text)) decoder.write(Uint8Array.of(byte));
    decoder.end();
  });
  expect(Buffer.from(body).toString()).toBe(text);
});
