import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bootstrapOf, startBootstrap, writeBootstrap } from './fake-bootstrap.ts';
import { status } from '../bodies/replies.ts';

describe('the fake bootstrap server', () => {
  it('serves its document, a 304 while it is unchanged, and a scripted failure', async () => {
    await using bootstrap = await startBootstrap(
      bootstrapOf({ com: 'https://a.test/', 'co.uk': ['https://b.test/', 'https://c.test/'] }),
    );
    const first = await fetch(bootstrap.documentUrl);
    expect(await first.json()).toMatchObject({
      version: '1.0',
      services: [
        [['com'], ['https://a.test/']],
        [['co.uk'], ['https://b.test/', 'https://c.test/']],
      ],
    });
    const conditional = { headers: { 'if-none-match': first.headers.get('etag') ?? '' } };
    expect((await fetch(bootstrap.documentUrl, conditional)).status).toBe(304);
    bootstrap.answer(status(500));
    expect((await fetch(bootstrap.documentUrl, conditional)).status).toBe(500);
    bootstrap.publish(bootstrapOf({ net: 'https://a.test/' }));
    expect((await fetch(bootstrap.documentUrl, conditional)).status).toBe(200);
    expect(bootstrap.requests.length).toBe(4);
  });

  it('writes a file, and deletes it on disposal', async () => {
    const file = await writeBootstrap(bootstrapOf({ com: 'https://a.test/' }));
    expect(JSON.parse(readFileSync(new URL(file.url), 'utf8'))).toMatchObject({
      services: [[['com'], ['https://a.test/']]],
    });
    await file[Symbol.asyncDispose]();
    expect(existsSync(file.path)).toBe(false);
  });
});
