import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../../../support/servers/fake-registry.ts';
import { forThisFile } from '../../../support/for-this-file.ts';
import { startGateway, type Json } from '../../../support/gateways/gateway.ts';
import { html, registered } from '../../../support/bodies/replies.ts';
import { expectProblem } from '../../../support/checks/problems.ts';

const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
registry.on(/^html/, html(404));
const gateway = await forThisFile(startGateway, {
  registries: { example: registry.baseUrl, 'co.uk': registry.baseUrl },
  delegates: ['taken'],
  env: { MAX_LOOKUPS: '6' },
});

const bulk = async (body: unknown): Promise<Json> =>
  (await gateway.post('/v1/status/bulk', body)).json();
const inputsOf = ({ results }: Json) =>
  results.map(({ index, input, domain }: Json) => [index, input, domain]);

describe('POST /v1/status/bulk', () => {
  it('returns a result for each input, in input order, and totals', async () => {
    const domains = [
      'taken-bulk.example',
      'free.example',
      'html.example',
      'not a name',
      'a.no-such-tld',
    ];
    const { results, cached, latency_ms: latencyMs, meta } = await bulk({ domains });
    const row = {
      confidence: 'authoritative',
      source: 'rdap',
      rdap_endpoint: registry.baseUrl,
      cached: false,
      stale: false,
    };
    expect(results[0]).toEqual({
      index: 0,
      input: 'taken-bulk.example',
      domain: 'taken-bulk.example',
      tld: 'example',
      available: false,
      status: 'registered',
      ...row,
      checked_at: expect.any(String),
      latency_ms: expect.any(Number),
    });
    expect(results.map(({ status, reason }: Json) => [status, reason])).toEqual([
      ['registered', undefined],
      ['available', undefined],
      ['unknown', 'untrusted_answer'],
      ['invalid', 'invalid_name'],
      ['unsupported_tld', 'unsupported_tld'],
    ]);
    expect([cached, typeof latencyMs]).toEqual([false, 'number']);
    const counts = {
      total: 5,
      available: 1,
      registered: 1,
      unknown: 2,
      invalid: 1,
      total_checked: 5,
      available_count: 1,
    };
    expect(meta).toEqual({ ...counts, duration_ms: expect.any(Number) });
  });

  it('looks up equal names once, and returns a result for each input', async () => {
    const response = await bulk({
      domains: [
        'taken-same.example',
        ' TAKEN-same.example. ',
        'nope!',
        'taken-same.example',
        'nope!',
      ],
    });
    expect(inputsOf(response)).toEqual([
      [0, 'taken-same.example', 'taken-same.example'],
      [1, ' TAKEN-same.example. ', 'taken-same.example'],
      [2, 'nope!', 'nope!'],
      [3, 'taken-same.example', 'taken-same.example'],
      [4, 'nope!', 'nope!'],
    ]);
    expect(registry.requestCount('taken-same.example')).toBe(1);
    expect(response.meta.total).toBe(5);
    expect(response.meta.invalid).toBe(2);
  });

  it('combines every name with every TLD', async () => {
    expect(
      inputsOf(await bulk({ names: ['taken', 'Bücher'], tlds: ['example', '.CO.UK'] })),
    ).toEqual([
      [0, 'taken.example', 'taken.example'],
      [1, 'taken.CO.UK', 'taken.co.uk'],
      [2, 'Bücher.example', 'xn--bcher-kva.example'],
      [3, 'Bücher.CO.UK', 'xn--bcher-kva.co.uk'],
    ]);
  });

  it('accepts max_age at top level or in options, which take precedence', async () => {
    const domains = ['taken-fresh.example'];
    await bulk({ domains });
    expect((await bulk({ domains, max_age: 0 })).cached).toBe(false);
    expect((await bulk({ domains, options: { max_age: 0 } })).cached).toBe(false);
    expect((await bulk({ domains, max_age: 0, options: { max_age: 60 } })).cached).toBe(true);
    expect((await bulk({ domains, max_age: 0, options: { max_age: null } })).cached).toBe(false);
    expect((await bulk({ domains, max_age: null, options: null })).cached).toBe(true);
  });

  it('limits the number of distinct names', async () => {
    const seven = Array.from({ length: 7 }, (_, index) => `taken${index}.example`);
    const rejection = await gateway.post('/v1/status/bulk', { domains: seven });
    await expectProblem(rejection, 'too_many_lookups', { param: 'domains' });
    const pairs = { names: ['a', 'b', 'c', 'd'], tlds: ['example', 'co.uk'] };
    await expectProblem(await gateway.post('/v1/status/bulk', pairs), 'too_many_lookups', {
      param: 'names',
    });
    expect(registry.requestCount('taken6.example')).toBe(0);
    expect(
      (await bulk({ domains: [...seven.slice(1), 'taken1.example', 'TAKEN1.example'] })).meta.total,
    ).toBe(8);
  });

  it.each([
    ['both forms', { domains: ['a.example'], names: ['a'], tlds: ['example'] }, 'domains'],
    ['neither form', {}, 'domains'],
    ['an array', ['a.example'], 'body'],
    ['null', null, 'body'],
    ['domains that are not a list', { domains: 'a.example' }, 'domains'],
    ['a name that is not a string', { domains: ['a.example', 5] }, 'domains.1'],
    ['options that are not an object', { domains: ['a.example'], options: 'all' }, 'options'],
  ])('rejects %s and names the invalid field', async (_what, body, param) => {
    const fieldError = {
      param,
      code: 'invalid_body',
      detail: expect.stringMatching(/^(?:Pass either|[\w.]+ must be).*\.$/),
    };
    await expectProblem(await gateway.post('/v1/status/bulk', body), 'invalid_body', {
      param,
      errors: [fieldError],
    });
  });

  it('names every invalid field', async () => {
    const { errors } = await bulk({ domains: [1, 'a.example', null], tlds: 'example' });
    expect(errors.map(({ param }: Json) => param)).toEqual(['domains.0', 'domains.2', 'tlds']);
  });

  it.each([
    ['an empty list', { domains: [] }, 'missing_parameter', 'domains'],
    ['names without TLDs', { names: ['a'] }, 'missing_parameter', 'tlds'],
    ['TLDs without names', { tlds: ['example'] }, 'missing_parameter', 'names'],
    [
      'an age that is not a number',
      { domains: ['a.example'], max_age: 'soon' },
      'invalid_max_age',
      'max_age',
    ],
    ['a fractional age', { domains: ['a.example'], max_age: 1.5 }, 'invalid_max_age', 'max_age'],
    [
      'an age that is a string',
      { domains: ['a.example'], max_age: '5' },
      'invalid_max_age',
      'max_age',
    ],
    [
      'an age in options that is a string',
      { domains: ['a.example'], options: { max_age: '5' } },
      'invalid_max_age',
      'options.max_age',
    ],
    [
      'an age that is a boolean',
      { domains: ['a.example'], max_age: true },
      'invalid_max_age',
      'max_age',
    ],
    [
      'an invalid age that options override',
      { domains: ['a.example'], max_age: -5, options: { max_age: 1 } },
      'invalid_max_age',
      'max_age',
    ],
    [
      'a negative age in options',
      { domains: ['a.example'], options: { max_age: -1 } },
      'invalid_max_age',
      'options.max_age',
    ],
  ] as const)('rejects %s', async (_what, body, code, param) => {
    await expectProblem(await gateway.post('/v1/status/bulk', body), code, { param });
  });
});
