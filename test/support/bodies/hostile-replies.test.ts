import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../servers/fake-registry.ts';
import {
  deepJson,
  gzipBomb,
  huge,
  invalidUtf8,
  reset,
  resetMidBody,
  truncated,
} from './hostile-replies.ts';

describe('hostile replies', () => {
  it('reset the connection, before or within the body', async () => {
    await using registry = await startFakeRegistry();
    registry.on('reset.test', reset());
    registry.on('middle.test', resetMidBody());
    await expect(fetch(registry.url('domain/reset.test'))).rejects.toThrow();
    await expect(
      fetch(registry.url('domain/middle.test')).then((answer) => answer.text()),
    ).rejects.toThrow();
  });

  it('send half an object as a complete response', async () => {
    await using registry = await startFakeRegistry();
    registry.fallback(truncated());
    const answer = await fetch(registry.url('domain/half.test'));
    const text = await answer.text();
    expect([answer.status, text.startsWith('{"rdap')]).toEqual([200, true]);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('send a few bytes that decompress to many', async () => {
    await using registry = await startFakeRegistry();
    registry.fallback(gzipBomb(8 * 1024 * 1024));
    const transferred = await rawBytes(registry.url('domain/bomb.test'));
    expect(transferred).toBeLessThan(16 * 1024);
    const { length } = await (await fetch(registry.url('domain/bomb.test'))).text();
    expect(length).toBe(8 * 1024 * 1024);
  });

  it('send valid objects with an invalid size, depth or encoding', async () => {
    await using registry = await startFakeRegistry();
    registry.on('huge.test', huge(2_000_000));
    registry.on('deep.test', deepJson(5000));
    registry.on('bytes.test', invalidUtf8());
    const bodyOf = async (name: string) =>
      (await fetch(registry.url(`domain/${name}`))).arrayBuffer();
    expect((await bodyOf('huge.test')).byteLength).toBe(2_000_000);
    expect(JSON.parse(Buffer.from(await bodyOf('deep.test')).toString())).toMatchObject({
      ldhName: 'deep.test',
    });
    const bytes = await bodyOf('bytes.test');
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow();
    expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({ ldhName: 'bytes.test' });
  });
});

/** Returns the bytes on the wire. Unlike `fetch`, `node:http` does not decompress. */
function rawBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(url, (response) => {
      let bytes = 0;
      response
        .on('data', (chunk: Buffer) => (bytes += chunk.length))
        .on('end', () => resolve(bytes));
    })
      .on('error', reject)
      .end();
  });
}
