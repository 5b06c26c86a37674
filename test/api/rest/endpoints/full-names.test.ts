import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { expectProblem } from '../../../support/checks/problems.ts';

const gateway = await forThisFile(startGateway);

const inputsOf = ({ results }: Json) => results.map(({ input, domain }: Json) => [input, domain]);

describe('rows of full names', () => {
  it('contain each entry as it was sent', async () => {
    const sent = ['TAKEN.test', ' b%C3%BCcher.test.', 'not a name', 'www.taken.shop.test', 'a.zz'];
    expect(inputsOf(await gateway.get(`/v1/status?domain=${sent.join()}`))).toEqual([
      ['TAKEN.test', 'taken.test'],
      [' bücher.test.', 'xn--bcher-kva.test'],
      ['not a name', 'not a name'],
      ['www.taken.shop.test', 'www.taken.shop.test'],
      ['a.zz', 'a.zz'],
    ]);
  });

  it('contain the first spelling of a name that is sent several times', async () => {
    expect(
      inputsOf(
        await gateway.get(
          '/v1/status?domain=A.test,nope!,a.TEST,B.test.&domain=nope!&domain=a.test,%20b.test',
        ),
      ),
    ).toEqual([
      ['A.test', 'a.test'],
      ['nope!', 'nope!'],
      ['B.test.', 'b.test'],
    ]);
  });

  it('contain the entry of this request, not of an earlier one for the same name', async () => {
    for (const spelling of ['same.test', 'SAME.test', 'same.test.', 'SAME.test', 'same.test']) {
      expect(inputsOf(await gateway.get(`/v1/status?domain=${spelling}`))).toEqual([
        [spelling, 'same.test'],
      ]);
    }
  });

  it('contain the entry in /v1/rdap, too', async () => {
    expect(await gateway.get('/v1/rdap?domain=Taken.TEST.')).toMatchObject({
      input: 'Taken.TEST.',
      domain: 'taken.test',
    });
    expect(await gateway.get('/v1/rdap?query=Taken.TEST.')).toMatchObject({
      input: 'Taken.TEST.',
      domain: 'taken.test',
    });
  });

  it('contain no entry if a label and TLDs were sent', async () => {
    const { results } = await gateway.get('/v1/status?name=taken&tlds=test');
    expect(results[0]).not.toHaveProperty('input');
  });
});

describe('a full name in `name`', () => {
  it.each([
    'name=taken.test&tlds=com',
    'name=taken.test',
    'name=B%C3%BCcher.test.',
    'name=www.taken.co.uk&tlds=test,shop.test',
  ])('gets a hint to use `domain`: %s', async (query) => {
    const detail = expect.stringMatching(/^Did you mean `domain=`\? .*\.$/);
    const problem: Json = await (await gateway.fetch(`/v1/status?${query}`)).json();
    expect(problem).toMatchObject({ status: 400, code: 'invalid_name', param: 'name', detail });
  });

  it.each([
    ['name=a_b.test&tlds=com', 'invalid_name'],
    ['name=1.2.3.4&tlds=com', 'invalid_name'],
    ['name=https://taken.test/&tlds=com', 'invalid_name'],
    ['name=-&tlds=com', 'invalid_name'],
    ['name=taken', 'missing_parameter'],
    ['name=a_b.test', 'missing_parameter'],
  ])('gets no hint if it is invalid: %s', async (query, code) => {
    const problem: Json = await gateway.get(`/v1/status?${query}`);
    expect(problem.code).toBe(code);
    expect(JSON.stringify(problem)).not.toContain('Did you mean');
  });
});

describe('/v1/rdap?query=…&type=domain', () => {
  it.each([
    'query=taken.test&type=domain',
    'query=taken.test',
    'query=taken.test&type=DOMAIN',
    'domain=taken.test&type=domain',
  ])('is equivalent to /v1/rdap?domain=…: %s', async (query) => {
    const response = await gateway.fetch(`/v1/rdap?${query}`);
    const { latency_ms: _1, cached: _2, checked_at: _3, ...record }: Json = await response.json();
    const {
      latency_ms: _4,
      cached: _5,
      checked_at: _6,
      ...expected
    }: Json = await gateway.get('/v1/rdap?domain=taken.test');
    expect([response.status, record]).toEqual([200, expected]);
    for (const header of ['deprecation', 'sunset', 'link'])
      expect(response.headers.get(header)).toBeNull();
  });

  it.each([
    ['an unknown type', 'query=192.0.2.1&type=network', 'type'],
    ['another type, with domain', 'domain=taken.test&type=nameserver', 'type'],
    ['a repeated type', 'query=taken.test&type=domain&type=domain', 'type'],
    ['both domain and query', 'domain=taken.test&query=taken.test', 'query'],
    ['a repeated query', 'query=taken.test&query=taken.test', 'query'],
  ])('rejects %s', async (_what, query, param) => {
    const problem: Json = await gateway.get(`/v1/rdap?${query}`);
    expect(problem).toMatchObject({ status: 400, code: 'invalid_parameter', param });
  });

  it.each([
    ['an empty query', 'query=', 'missing_parameter', 'query'],
    ['an empty type', 'query=taken.test&type=', 'missing_parameter', 'type'],
    ['a type alone', 'type=domain', 'missing_parameter', 'domain'],
    ['a label', 'query=taken', 'invalid_name', 'query'],
    ['a name one level too deep', 'query=www.taken.shop.test', 'invalid_name', 'query'],
  ] as const)('names the invalid parameter: %s', async (_what, query, code, param) => {
    await expectProblem(await gateway.fetch(`/v1/rdap?${query}`), code, { param });
  });
});
