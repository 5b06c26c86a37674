import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/accounts/account.ts';
import { frozenClock, type FrozenClock } from '../../support/time/frozen-clock.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { memoryLog } from '../../support/checks/memory-log.ts';
import { startMeteredFleet } from '../../support/gateways/metered-fleet.ts';
import {
  startMeteredGateway,
  type Caller,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { postgresMissing } from '../../support/stores/postgres.ts';
import { sharedPostgres } from '../../support/stores/shared-postgres.ts';
import { sequentially, statuses } from '../../support/requests/statuses.ts';

type Form = Record<string, string>;

/** Returns the hidden fields of a form of a page, by what it does. */
async function formOf(caller: Caller, path: string, action: string): Promise<Form> {
  const page = await (await caller.fetch(path)).text();
  const forms = Array.from(page.matchAll(/<form method="post".*?<\/form>/gs), ([form]) => form);
  const form = forms.find((each) => each.includes(`value="${action}"`)) ?? '';
  const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(hidden, ([, name, value]) => [name, value]));
}

function send(caller: Caller, form: Form, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams(form);
  return caller.fetch('/operator', { method: 'POST', body, headers, redirect: 'manual' });
}

/** Returns a page, with single spaces. */
const pageOf = async (caller: Caller, path: string) =>
  (await (await caller.fetch(path)).text()).replaceAll(/\s+/g, ' ');
const keyIn = (page: string) => /rgw_\w{49}/.exec(page)?.[0] ?? '';
const alertIn = (page: string) => /role="alert">\s*<strong>(.*?)<\/strong>/.exec(page)?.[1];
const newKey = { name: 'New', credits: '7', rate: '60', origin: 'any' };

describe('the forms for keys', () => {
  const { log, lines } = memoryLog();
  let clock: FrozenClock;
  let metered: MeteredGateway;
  let operator: Customer;
  let customer: Customer;
  beforeAll(async () => {
    clock = frozenClock();
    metered = await startMeteredGateway({
      env: { OPERATOR_PAGE: 'on', RATE_LIMIT: '1000', LOG_LEVEL: 'info' },
      clock,
      log,
    });
    operator = await metered.newCustomer({ name: 'Ops', role: 'operator' });
    customer = await metered.newCustomer({ name: 'Customer', credits: 5 });
  });
  afterAll(() => metered[Symbol.asyncDispose]());

  const created = (form: Form) => send(operator, form);
  const createForm = async (fields: Form = {}): Promise<Form> => ({
    ...(await formOf(operator, '/operator', 'create')),
    ...newKey,
    ...fields,
  });
  const accounts = () => metered.ledger.list();
  const accountOf = async (id: string): Promise<Account | undefined> =>
    (await accounts()).find((account) => account.id === id);
  const audited = () => lines.filter(({ msg }) => msg === 'Key changed on the operator page.');

  it('create a key that is shown once, and not again after a reload', async () => {
    const form = await createForm({
      name: 'Web <b>',
      origin: 'https://a.example https://b.example',
    });
    const response = await created(form);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.headers.get('content-security-policy')).toBe(
      (await operator.fetch('/operator')).headers.get('content-security-policy'),
    );
    const page = await response.text();
    const key = keyIn(page);
    expect(page.split(key)).toHaveLength(2);
    expect(page).not.toContain('<b>');
    const origin = 'https://a.example';
    const used = await metered.gateway.fetch('/v1/status?domain=a.example', {
      headers: { 'x-api-key': key, origin },
    });
    expect(used.status).toBe(200);
    expect(used.headers.get('x-ratelimit-limit')).toBe('60');
    expect(used.headers.get('ratelimit-policy')).toBe('"default";q=60;w=60');
    expect(used.headers.get('x-credits-remaining')).toBe('6');

    const before = (await accounts()).length;
    const reloaded = await created(form);
    expect([reloaded.status, keyIn(await reloaded.text())]).toEqual([409, '']);
    const renamed = await created({ ...form, name: 'Second' });
    expect(renamed.status).toBe(409);
    expect(alertIn(await renamed.text())).toEqual(
      expect.stringMatching(/^This form was already sent/),
    );
    const twice = await createForm({ name: 'Twice' });
    const sent = await Promise.all([created(twice), created(twice), created(twice)]);
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await accounts()).toHaveLength(before + 1);
    expect(await (await operator.fetch('/operator')).text()).not.toContain('rgw_');
    expect(JSON.stringify(lines)).not.toContain(key.slice(4, 30));
  });

  it.each([
    ['an empty name', { name: '  ' }, /^Name must be 1 to 200 characters/],
    ['a long name', { name: 'x'.repeat(201) }, /^Name must be 1 to 200 characters/],
    ['a very long name', { name: 'x'.repeat(50_000) }, /^Name must be 1 to 200 characters/],
    ['a line break', { name: 'a\nb' }, /^Name must be .* without control characters/],
    ['NUL', { name: 'a\0b' }, /^Name must be/],
    ['a reversed name', { name: 'a\u202Eb' }, /^Name must be/],
    ['a line separator', { name: 'a\u2028b' }, /^Name must be/],
    ['a name in use', { name: 'Customer' }, /^Name is that of account \w+/],
    ['negative credits', { credits: '-1' }, /^Credits per month must be an integer from 0/],
    ['huge credits', { credits: '9'.repeat(400) }, /^Credits per month must be/],
    ['no credits', { credits: '' }, /^Credits per month must be/],
    ['credits in HTML', { credits: '"><img src=x>' }, /^Credits per month must be/],
    ['a negative rate', { rate: '-1' }, /^Requests per minute must be an integer from 0/],
    ['a rate with an exponent', { rate: '1e3' }, /^Requests per minute must be/],
    ['a huge rate', { rate: '1000001' }, /^Requests per minute must be/],
    ['another word as rate', { rate: 'free' }, /^Requests per minute must be/],
    ['a path in an origin', { origin: 'https://a.example/x' }, /^Origins must be an origin/],
    ['HTML in an origin', { origin: '"><script>' }, /^Origins must be an origin/],
    ['no origin', { origin: '' }, /^Origins must be an origin/],
  ])(
    'refuse %s, name the field, change nothing, and keep what was typed',
    async (_, fields, why) => {
      const before = await accounts();
      const reports = audited().length;
      const response = await created(await createForm(fields));
      const page = await response.text();
      expect([400, 409]).toContain(response.status);
      expect(alertIn(page)).toMatch(why);
      expect(page).not.toMatch(/<script|<img src=x/);
      if (!('rate' in fields)) expect(page).toContain('name="rate" value="60"');
      expect(await accounts()).toEqual(before);
      expect(audited()).toHaveLength(reports);
    },
  );

  it('change credits and rate, which every request then has, and redirect', async () => {
    const { id, key } = await metered.newCustomer({ name: 'Limited' });
    const path = `/operator?key=${id}`;
    const limitsOf = async () => {
      const headers = { 'x-api-key': key };
      const answer = await metered.gateway.fetch('/v1/status?domain=a.test', { headers });
      return [answer.headers.get('x-ratelimit-limit'), answer.headers.get('ratelimit-policy')];
    };
    expect(await limitsOf()).toEqual(['1000', '"default";q=1000;w=60']);
    for (const [credits, rate, plan, limits] of [
      ['20', '2', { credits: 20, rate: 2 }, ['2', '"default";q=2;w=60']],
      ['0', '0', { credits: 0, rate: 0 }, [null, null]],
      [
        '999999999999',
        '1000000',
        { credits: 999_999_999_999, rate: 1_000_000 },
        ['1000000', '"default";q=1000000;w=60'],
      ],
      ['free', 'default', { credits: null, rate: null }, ['1000', '"default";q=1000;w=60']],
    ] as const) {
      const form = { ...(await formOf(operator, path, 'change')), credits, rate };
      const response = await send(operator, form);
      expect([response.status, response.headers.get('location')]).toEqual([303, `?key=${id}`]);
      expect(await accountOf(id)).toMatchObject(plan);
      clock.advance(2000);
      expect(await limitsOf()).toEqual(limits);
      expect((await send(operator, form)).status).toBe(409);
    }
    const invalid = { ...(await formOf(operator, path, 'change')), credits: '5', rate: '-3' };
    const refused = await send(operator, invalid);
    expect(refused.status).toBe(400);
    expect(alertIn(await refused.text())).toEqual(
      expect.stringMatching(/^Requests per minute must be/),
    );
    expect(await accountOf(id)).toMatchObject({ credits: null, rate: null });
    const page = await (await operator.fetch('/operator')).text();
    expect(page).toContain('credits: free → 20, rate: default → 2');
    expect(audited().at(-1)).toMatchObject({
      action: 'changed',
      operator: operator.id,
      account: id,
      before: { credits: '999999999999', rate: '1000000' },
      after: { credits: 'free', rate: 'default' },
    });
  });

  it('limits a key to its own rate', async () => {
    const slow = await metered.newCustomer({ rate: 3 });
    const fast = await metered.newCustomer({ rate: 0 });
    for (const [caller, counts] of [
      [slow, { 200: 3, 429: 1 }],
      [fast, { 200: 4 }],
    ] as const)
      expect(statuses(await sequentially(4, () => caller.fetch('/v1/tlds')))).toEqual(counts);
    expect((await slow.fetch('/v1/tlds')).headers.get('retry-after')).toBe('20');
    clock.advance(20_000);
    expect((await slow.fetch('/v1/tlds')).status).toBe(200);
  });

  it('revoke a key after a page that names it, once, even if two are sent at once', async () => {
    const { id, fetch } = await metered.newCustomer({ name: 'Leaked & <i>' });
    const account = await (await operator.fetch(`/operator?key=${id}`)).text();
    expect(account).not.toContain('value="revoke"');
    const question = await pageOf(operator, `/operator?key=${id}&revoke`);
    expect(question).toContain(`Revoke the keys of Leaked &amp; &lt;i&gt; (${id})?`);
    const change = await formOf(operator, `/operator?key=${id}`, 'change');
    expect((await send(operator, { ...change, action: 'revoke' })).status).toBe(403);

    const forms = await Promise.all(
      [1, 2].map(() => formOf(operator, `/operator?key=${id}&revoke`, 'revoke')),
    );
    const [form = {}] = forms;
    const sent = await Promise.all([...forms, form].map((each) => send(operator, each)));
    for (const { status } of sent) expect([303, 409]).toContain(status);
    expect(sent.map(({ status }) => status)).toContain(303);
    clock.advance(2000);
    expect((await fetch('/v1/tlds')).status).toBe(401);
    expect(await accountOf(id)).toMatchObject({ revokedAt: expect.any(Number) });
    const late = await send(operator, { ...change, credits: '1', rate: '1' });
    expect(late.status).toBe(409);
    expect(alertIn(await late.text())).toContain('already revoked');
    expect(await (await operator.fetch(`/operator?key=${id}`)).text()).not.toContain('<form');
    expect(audited().at(-1)).toMatchObject({
      action: 'revoked',
      account: id,
      before: { state: 'active' },
      after: { state: 'revoked' },
    });
  });

  it('do not let operators limit or revoke their own key without saying so', async () => {
    const own = await metered.newCustomer({ name: 'Own', role: 'operator' });
    for (const [path, action] of [
      ['', 'change'],
      ['&revoke', 'revoke'],
    ] as const) {
      const page = `/operator?key=${own.id}${path}`;
      expect(await pageOf(own, page)).toContain('This is my own key, ');
      const form = { ...(await formOf(own, page, action)), credits: '1', rate: '1000' };
      const refused = await send(own, form);
      expect(refused.status).toBe(409);
      expect(alertIn(await refused.text())).toEqual(
        expect.stringContaining('the key that opened this page'),
      );
      expect(await accountOf(own.id)).toMatchObject({ credits: action === 'change' ? null : 1 });
      expect((await send(own, { ...form, own: 'on' })).status).toBe(303);
    }
    clock.advance(2000);
    expect((await own.fetch('/operator')).status).toBe(401);
  });

  it.each<[string, number, Record<string, string>]>([
    ['a page of another site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', 403, { 'sec-fetch-site': 'same-site' }],
    ['another site, in an older browser', 403, { origin: 'https://evil.example' }],
    ['a sandboxed frame', 403, { origin: 'null' }],
    ['a file', 403, { origin: 'file://' }],
    ['a contradictory sender', 403, { 'sec-fetch-site': 'cross-site', origin: 'OWN' }],
    ['a client that repeats the header', 403, { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['its own page', 200, { 'sec-fetch-site': 'same-origin', origin: 'OWN' }],
    ['its own page, in an older browser', 200, { origin: 'OWN' }],
  ])('sent by %s lead to %i', async (sender, status, headers) => {
    const before = (await accounts()).length;
    const own = { ...headers, ...(headers['origin'] === 'OWN' && { origin: metered.gateway.url }) };
    const response = await send(operator, await createForm({ name: sender }), own);
    expect(response.status).toBe(status);
    expect(await accounts()).toHaveLength(before + (status === 200 ? 1 : 0));
  });

  it('are for operators only', async () => {
    const form = await createForm({ name: 'Stolen' });
    const before = (await accounts()).length;
    const other = await metered.newCustomer({ role: 'operator' });
    const senders = [
      ['a customer with a form of an operator', customer, form, 403],
      ['an operator with the form of another', other, form, 403],
      ['no token', operator, { ...form, token: '' }, 403],
      ['a forged token', operator, { ...form, token: form['token']?.replace(/.$/, '!') }, 403],
      ['another alphabet', operator, { ...form, token: form['token']?.replace(/.$/, 'é') }, 403],
      ['a form for another account', operator, { ...form, id: customer.id }, 403],
      ['no action', operator, { ...form, action: 'constructor' }, 403],
    ] as const;
    for (const [because, caller, sent, status] of senders)
      expect([because, (await send(caller, sent as Form)).status]).toEqual([because, status]);
    const withoutKey = { 'x-api-key': '' };
    expect((await send(operator, form, withoutKey)).status).toBe(401);
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    expect((await operator.fetch('/operator', json)).status).toBe(415);
    for (const path of [`?key=${customer.id}`, `?key=${customer.id}&revoke`])
      expect((await customer.fetch(`/operator${path}`)).status).toBe(403);
    clock.advance(13 * 3600 * 1000);
    expect((await send(operator, form)).status).toBe(403);
    expect(await accounts()).toHaveLength(before + 1);
  });

  it('find keys by name or ID, and no others', async () => {
    const { id } = await metered.newCustomer({ name: 'Zoë 100 %_x' });
    const rows = async (find: string) => {
      const query = new URLSearchParams({ account: find });
      const page = await (await operator.fetch(`/operator?${query}`)).text();
      return page.includes(`?key=${id}`);
    };
    for (const text of ['zoë', '100 %_', id, ' ZOë 1\0'])
      expect([text, await rows(text)]).toEqual([text, true]);
    for (const text of ['%%', 'x_', '<script>', '!'])
      expect([text, await rows(text)]).toEqual([text, false]);
    for (const unknown of ['nobody', `${id}\0`, '', '%', id.toUpperCase().replace(/\d/g, 'A')])
      for (const what of ['', '&revoke']) {
        const path = `/operator?${new URLSearchParams({ key: unknown })}${what}`;
        expect([path, (await operator.fetch(path)).status]).toEqual([path, 404]);
      }
  });
});

it('says why nobody can open the operator page with STORE_URL=memory:', async () => {
  await using gateway = await startGateway({ env: { OPERATOR_PAGE: 'on', STORE_URL: 'memory:' } });
  const response = await gateway.fetch('/operator');
  expect(response.status).toBe(403);
  expect(await response.json()).toEqual(
    expect.objectContaining({ detail: expect.stringContaining('STORE_URL=memory:') }),
  );
  expect((await gateway.fetch('/operator', { method: 'POST' })).status).toBe(403);
});

it.skipIf(postgresMissing)(
  `accepts forms of another node once, and limits and revokes keys on every node${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    const clock = frozenClock();
    const env = { OPERATOR_PAGE: 'on' };
    await using fleet = await startMeteredFleet(sharedPostgres, 2, { env, clock });
    const operator = await fleet.newCustomer({ name: 'Ops', role: 'operator' });
    const nodes = [operator.at(0), operator.at(1)];
    const [first, second] = nodes as [Caller, Caller];
    const form = { ...(await formOf(first, '/operator', 'create')), ...newKey };
    const sent = await Promise.all([send(second, form), send(first, form)]);
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const pages = await Promise.all(sent.map((response) => response.text()));
    const headers = { 'x-api-key': keyIn(pages.join('')) };
    const { id = '' } = (await fleet.ledger.list()).find(({ name }) => name === 'New') ?? {};
    const limits = () =>
      Promise.all(
        fleet.nodes.map(async (node) => {
          const answer = await node.fetch('/v1/tlds', { headers });
          return answer.headers.get('x-ratelimit-limit') ?? answer.status;
        }),
      );
    expect(await limits()).toEqual(['60', '60']);
    const change = await formOf(first, `/operator?key=${id}`, 'change');
    await send(second, { ...change, credits: '1', rate: '5' });
    clock.advance(2000);
    expect(await limits()).toEqual(['5', '5']);
    const revocations = await Promise.all(
      nodes.map((node) => formOf(node, `/operator?key=${id}&revoke`, 'revoke')),
    );
    await Promise.all(revocations.map((each, index) => send(nodes[1 - index] ?? first, each)));
    clock.advance(2000);
    expect(await limits()).toEqual([401, 401]);
  },
);
