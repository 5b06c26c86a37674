import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../../../support/gateway.ts';
import { html, registered } from '../../../support/replies.ts';
import { expectProblem } from '../../../support/problems.ts';

let registry: FakeRegistry;
let gateway: Gateway;

beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.on(/^(?:taken|nic)/, ({ name }) => registered(name));
  registry.on(/^html/, html(404));
  gateway = await startGateway({
    registries: { example: registry.baseUrl, 'co.uk': registry.baseUrl },
    env: { MAX_LOOKUPS: '6' },
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const bulk = async (body: unknown): Promise<Json> =>
  (await gateway.post('/v1/status/bulk', body)).json();
const shown = ({ results }: Json) =>
  results.map(({ index, input, domain }: Json) => [index, input, domain]);

describe('POST /v1/status/bulk', () => {
  it('answers each input in its order, and adds them up', async () => {
    const domains = [
      'taken-bulk.example',
      'nobody.example',
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

  it('looks equal names up once, and still answers each input', async () => {
    const answer = await bulk({
      domains: [
        'taken-same.example',
        ' TAKEN-same.example. ',
        'nope!',
        'taken-same.example',
        'nope!',
      ],
    });
    expect(shown(answer)).toEqual([
      [0, 'taken-same.example', 'taken-same.example'],
      [1, ' TAKEN-same.example. ', 'taken-same.example'],
      [2, 'nope!', 'nope!'],
      [3, 'taken-same.example', 'taken-same.example'],
      [4, 'nope!', 'nope!'],
    ]);
    expect([registry.asked('taken-same.example'), answer.meta.total, answer.meta.invalid]).toEqual([
      1, 5, 2,
    ]);
  });

  it('takes every pair of names and TLDs', async () => {
    expect(shown(await bulk({ names: ['taken', 'Bücher'], tlds: ['example', '.CO.UK'] }))).toEqual([
      [0, 'taken.example', 'taken.example'],
      [1, 'taken.CO.UK', 'taken.co.uk'],
      [2, 'Bücher.example', 'xn--bcher-kva.example'],
      [3, 'Bücher.CO.UK', 'xn--bcher-kva.co.uk'],
    ]);
  });

  it('takes max_age at top level or in options, which win', async () => {
    const domains = ['taken-fresh.example'];
    await bulk({ domains });
    expect((await bulk({ domains, max_age: 0 })).cached).toBe(false);
    expect((await bulk({ domains, options: { max_age: 0 } })).cached).toBe(false);
    expect((await bulk({ domains, max_age: 0, options: { max_age: 60 } })).cached).toBe(true);
    expect((await bulk({ domains, max_age: 0, options: { max_age: null } })).cached).toBe(false);
    expect((await bulk({ domains, max_age: null, options: null })).cached).toBe(true);
  });

  it('counts distinct names against its limit', async () => {
    const seven = Array.from({ length: 7 }, (_, index) => `taken${index}.example`);
    await expectProblem(
      await gateway.post('/v1/status/bulk', { domains: seven }),
      'too_many_lookups',
      { param: 'domains' },
    );
    const pairs = { names: ['a', 'b', 'c', 'd'], tlds: ['example', 'co.uk'] };
    await expectProblem(await gateway.post('/v1/status/bulk', pairs), 'too_many_lookups', {
      param: 'names',
    });
    expect(registry.asked('taken6.example')).toBe(0);
    expect(
      (await bulk({ domains: [...seven.slice(1), 'taken1.example', 'TAKEN1.example'] })).meta.total,
    ).toBe(8);
  });

  it.each([
    ['both forms', { domains: ['a.example'], names: ['a'], tlds: ['example'] }, 'domains'],
    ['neither form', {}, 'domains'],
    ['no object', ['a.example'], 'body'],
    ['null', null, 'body'],
    ['names that are no list', { domains: 'a.example' }, 'domains'],
    ['a name that is no text', { domains: ['a.example', 5] }, 'domains.1'],
    ['options that are no object', { domains: ['a.example'], options: 'all' }, 'options'],
  ])('refuses %s as a body, and says where', async (_what, body, param) => {
    const culprit = {
      param,
      code: 'invalid_body',
      detail: expect.stringMatching(/^(?:Give|[\w.]+ must be).*\.$/),
    };
    await expectProblem(await gateway.post('/v1/status/bulk', body), 'invalid_body', {
      param,
      errors: [culprit],
    });
  });

  it('names every culprit', async () => {
    const { errors } = await bulk({ domains: [1, 'a.example', null], tlds: 'example' });
    expect(errors.map(({ param }: Json) => param)).toEqual(['domains.0', 'domains.2', 'tlds']);
  });

  it.each([
    ['an empty list', { domains: [] }, 'missing_parameter', 'domains'],
    ['names without TLDs', { names: ['a'] }, 'missing_parameter', 'tlds'],
    ['TLDs without names', { tlds: ['example'] }, 'missing_parameter', 'names'],
    [
      'an age that is no number',
      { domains: ['a.example'], max_age: 'soon' },
      'invalid_max_age',
      'max_age',
    ],
    ['a broken age', { domains: ['a.example'], max_age: 1.5 }, 'invalid_max_age', 'max_age'],
    [
      'an age that is a text',
      { domains: ['a.example'], max_age: '5' },
      'invalid_max_age',
      'max_age',
    ],
    [
      'an age in options that is a text',
      { domains: ['a.example'], options: { max_age: '5' } },
      'invalid_max_age',
      'options.max_age',
    ],
    ['an age that is yes', { domains: ['a.example'], max_age: true }, 'invalid_max_age', 'max_age'],
    [
      'an age that options overrule',
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
  ] as const)('refuses %s', async (_what, body, code, param) => {
    await expectProblem(await gateway.post('/v1/status/bulk', body), code, { param });
  });
});
