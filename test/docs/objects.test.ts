import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { codeBlocksIn, guideText } from '../support/checks/guides.ts';

const [guide = ''] = guideText('objects').split('## Reporting abuse');
const blocks = codeBlocksIn(guide);

/** The REST requests of the guide, with the excerpt of the response in the next JSON block. */
const requests = blocks.flatMap(({ code }, index) => {
  const [, path] = /^GET (\S+)$/.exec(code) ?? [];
  const excerpt = blocks.slice(index).find(({ language }) => language === 'json')?.code ?? '';
  return path === undefined ? [] : [{ path, excerpt }];
});

describe('the guide to objects', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('shows REST requests', () => {
    expect(requests.length).toBe(2);
  });

  it.each(requests)('shows an excerpt of the response to $path', async ({ path, excerpt }) => {
    expect(await (await gateway.fetch(path)).json()).toMatchObject(JSON.parse(excerpt));
  });

  it('names in a table a query of each kind that finds an object', async () => {
    const paths = Array.from(guide.matchAll(/`(query=\S+)`/g), ([, path]) => path);
    expect(paths.length).toBe(4);
    const types: unknown[] = [];
    for (const path of paths) {
      const { type, found } = await (await gateway.fetch(`/v1/rdap?${path}`)).json();
      types.push([type, found]);
    }
    expect(types).toEqual(['ip', 'autnum', 'entity', 'nameserver'].map((type) => [type, true]));
  });
});
