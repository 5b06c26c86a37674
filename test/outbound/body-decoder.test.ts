import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeStart, LimitedBody } from '../../src/outbound/encodings.ts';

const textOf = (body: Uint8Array) => Buffer.from(body).toString();

describe('a body that is collected', () => {
  it('is copied, so that its chunks are not kept', () => {
    const body = new LimitedBody(100_000);
    const chunk = Buffer.alloc(1);
    for (let index = 0; index < 60_000; index += 1) {
      chunk.fill(index % 251);
      body.add(chunk);
    }
    const written = Buffer.from(Uint8Array.from({ length: 60_000 }, (_, index) => index % 251));
    expect(written.equals(body.bytes)).toBe(true);
    expect(body.bytes.buffer.byteLength).toBe(60_000);
  });

  it.each([
    [['abcdef'], true],
    [['abc', 'def'], true],
    [['abc', 'def7'], false],
    [['abcdef', 'g', 'h'], false],
  ])('is cut off after its maximum size: %j', (chunks, fits) => {
    const body = new LimitedBody(6);
    const added = chunks.map((chunk) => body.add(Buffer.from(chunk)));
    expect(textOf(body.bytes)).toBe('abcdef');
    expect(added.every(Boolean)).toBe(fits);
  });

  it('may be empty', () => {
    expect(new LimitedBody(6).bytes).toHaveLength(0);
  });
});

it.each([
  [100_000, 100_000, false],
  [99_999, 99_999, true],
])('decodes a compressed body up to %d bytes', async (maxBytes, length, isTruncated) => {
  const text = 'text '.repeat(20_000);
  const decoded = await decodeStart(gzipSync(text), 'gzip', maxBytes);
  expect(textOf(decoded.body)).toBe(text.slice(0, length));
  expect(decoded.isTruncated).toBe(isTruncated);
});
