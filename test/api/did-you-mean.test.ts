import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp, revisions } from '../support/requests/mcp-client.ts';

const gateway = await forThisFile(startGateway, { registries: { com: 'https://rdap.invalid/' } });
const mcp = await forThisFile(connectMcp, gateway.url, revisions[0]);

const call = (args: object) => mcp.call('check_domains', args);

describe('a TLD that does not exist', () => {
  it.each([
    ['bluefox.con', ['bluefox.com']],
    ['bluefox.cmo', ['bluefox.com']],
    ['bluefox.comm', ['bluefox.com']],
    ['bluefox.ogr', ['bluefox.org']],
    ['bluefox.nett', ['bluefox.net']],
    ['bluefox.onlin', ['bluefox.online']],
    ['bücher.con', ['xn--bcher-kva.com']],
    ['bluefox.co.ku', ['bluefox.co.uk']],
    ['bluefox.qqqq', undefined],
    // These exist.
    ['bluefox.cm', undefined],
    ['bluefox.ne', undefined],
    ['bluefox.om', undefined],
    ['bluefox.test', undefined],
  ])('%s: did you mean %j', async (name, meant) => {
    const { results } = await gateway.get(`/v1/status?domain=${name}`);
    expect(results[0].did_you_mean).toEqual(meant);
    if (meant) expect(results[0]).toMatchObject({ available: null, status: 'unsupported_tld' });
    const query = '{ domain(name: "NAME") { didYouMean available } }'.replace('NAME', name);
    const { data } = await gateway.graphql(query);
    expect(data.domain.didYouMean).toEqual(meant ?? []);
  });

  it('has the names in the problem of a record, in CSV and for agents', async () => {
    const problem = await gateway.get('/v1/rdap?domain=bluefox.con');
    expect(problem).toMatchObject({ code: 'unsupported_tld', did_you_mean: ['bluefox.com'] });
    expect(problem.detail).toBe('.con is not a TLD. Did you mean bluefox.com?');
    const csv = await gateway.fetch('/v1/status?domain=bluefox.con', {
      headers: { accept: 'text/csv' },
    });
    expect(await csv.text()).toMatch(/,bluefox\.com\r\n$/);
    const { structuredContent, content }: Json = await mcp.call('check_domains', {
      names: ['a.con'],
    });
    expect(structuredContent.results[0].did_you_mean).toEqual(['a.com']);
    expect(content[0].text).toContain('did you mean a.com?');
  });
});

describe('`text` of check_domains', () => {
  it('is read like the text of the search page', async () => {
    const text = 'Here are ideas:\n1. **taken.test** – short\n2. Red Fox (new)\n3. www.new.test/x';
    const { structuredContent } = await call({ text, tlds: ['test', 'shop.test'] });
    const names = ['taken.test', 'redfox.test', 'redfox.shop.test', 'new.test'];
    expect(structuredContent.results.map(({ domain }: { domain: string }) => domain)).toEqual(
      names,
    );
    expect(structuredContent.read).toBe('Read 3 names. Left out: 1 line without a name.');
  });

  it('has one label under each TLD, with its other readings', async () => {
    const { structuredContent } = await call({ text: 'my great idea', tlds: ['test'] });
    expect(structuredContent.results).toMatchObject([{ domain: 'mygreatidea.test' }]);
    expect(structuredContent.read).toContain('3 names: my, great, idea');
  });

  it.each([
    [{ text: '*.io' }, 'text'],
    [{ text: '' }, 'text'],
    [{ text: 'x'.repeat(30_001) }, 'text'],
    [{ text: 'a.test', names: ['b.test'] }, 'text'],
    [{ text: 'a.test', label: 'b' }, 'text'],
    [{ text: Array.from({ length: 21 }, (_, at) => `fox${at}`).join('\n') }, 'tlds'],
    // Under @popular, these would be more than 500 names.
    [{ text: Array.from({ length: 17 }, (_, at) => `fox${at}`).join('\n') }, 'tlds'],
  ])('is rejected: %j', async (args, param) => {
    const { isError, _meta }: Json = await call(args);
    expect([isError, _meta.problem.param]).toEqual([true, param]);
  });

  it('has few labels without TLDs under @popular', async () => {
    const { structuredContent } = await call({ text: 'bluefox', max_age: 0 });
    expect(structuredContent.results).toHaveLength(31);
  });
});
