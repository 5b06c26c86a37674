import { rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { pageAsset } from '../../src/website/assets.ts';
import type { HttpRequestContext } from '../../src/server/http-request-context.ts';
import { docsHandlers } from '../../src/website/docs/handlers.ts';
import { projectFolder } from '../support/package/run.ts';
import { scratch } from '../support/stores/scratch.ts';

const requestWith = (encoding: string) =>
  ({ request: { headers: { 'accept-encoding': encoding } } }) as HttpRequestContext;

it('renders a page again after it could not be rendered', async () => {
  let tries = 0;
  const openapi = async () => {
    tries += 1;
    if (tries === 1) throw new Error('too many open files');
    return { openapi: '3.1.0' };
  };
  const handlers = new Map(
    docsHandlers({
      openapi,
      baseUrl: () => 'http://gateway.test',
      docsUrl: () => 'http://gateway.test/docs',
      graphiql: true,
      allowIntrospection: true,
      tldsCsv: () => '',
    }),
  );
  const load = async () => handlers.get('/openapi.json')?.(requestWith(''));
  await expect(load()).rejects.toThrow('too many open files');
  expect(await load()).toMatchObject({ status: 200, body: Buffer.from('{"openapi":"3.1.0"}') });
  await load();
  expect(tries).toBe(2);
});

it.each(['', 'gzip', 'br'])(
  'reads a file again after it could not be read (encoding "%s")',
  async (encoding) => {
    await using folder = await scratch();
    const file = join(folder.path, 'late.svg');
    // Files with the same name and content are one asset.
    const svg = `<svg id="${encoding}"/>`;
    await writeFile(file, svg);
    const { handler } = pageAsset(relative(join(projectFolder, 'src/website'), file));
    await rm(file);
    const load = async () => handler(requestWith(encoding));
    await expect(load()).rejects.toThrow('ENOENT');
    await writeFile(file, svg);
    expect(await load()).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/svg+xml' },
    });
  },
);
