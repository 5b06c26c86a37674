import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { bootstrapOf, writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { manualClock } from '../../support/time/manual-clock.ts';
import { startMeteredFleet } from '../../support/gateways/metered-fleet.ts';
import {
  startMeteredGateway,
  type Caller,
  type Customer,
  type MeteredGateway,
} from '../../support/gateways/metered-gateway.ts';
import { postgresMissing, startPostgres } from '../../support/stores/postgres.ts';
import { notFound, registered, status } from '../../support/bodies/replies.ts';
import { sequentially, statuses } from '../../support/requests/statuses.ts';

const hostile = '<script>alert("x")</script> & \'Söhne\'';
const basic = (key: string, user = 'any user') => ({
  authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
});

/** Returns the text of each row of a table, with ` | ` between its cells. */
async function rowsOf(operator: Caller, title: string, query = ''): Promise<readonly string[]> {
  const page = await (await operator.fetch(`/operator${query}`)).text();
  const table = page.split('<h2>').find((part) => part.startsWith(`${title}</h2>`)) ?? '';
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(table) ?? [];
  return Array.from(body.matchAll(/<tr>(.*?)<\/tr>/gs), ([, row = '']) =>
    row
      .replaceAll(/<\/t[hd]>\s*<t[hd]/g, ' | <t')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

describe('the operator page', () => {
  let metered: MeteredGateway;
  let operator: Customer;
  let customer: Customer;
  beforeAll(async () => {
    metered = await startMeteredGateway({ env: { OPERATOR_PAGE: 'on', AUTH: 'auto' } });
    operator = await metered.newCustomer({ name: hostile, role: 'operator', credits: 5 });
    customer = await metered.newCustomer({ name: 'Customer' });
  });
  afterAll(() => metered[Symbol.asyncDispose]());

  const withKey = (headers: Record<string, string>) =>
    metered.gateway.fetch('/operator', { headers });

  it.each([
    ['X-API-Key', (key: string) => ({ 'x-api-key': key })],
    ['Authorization: Bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['the password of Basic authentication', (key: string) => basic(key)],
    ['the password without a user', (key: string) => basic(key, '')],
    [
      'X-API-Key behind a proxy with passwords',
      (key: string) => ({ 'x-api-key': key, ...basic('its own') }),
    ],
  ])('opens with a key of an operator in %s', async (_where, headersWith) => {
    const response = await withKey(headersWith(operator.key));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('makes browsers ask for a key, also from this machine', async () => {
    for (const headers of [
      {},
      basic(generateKey()),
      basic('hunter2'),
      { authorization: 'Basic' },
    ]) {
      const response = await metered.gateway.fetch('/operator', { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"$/);
      expect(await response.text()).not.toContain('hunter2');
    }
  });

  it('is forbidden for keys without the role, within two seconds after it was taken away', async () => {
    const response = await withKey({ 'x-api-key': customer.key });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: 'forbidden_operation', detail: expect.stringContaining('operator') },
    ]);
    expect(response.headers.get('www-authenticate')).toBeNull();
    const former = await metered.newCustomer({ role: 'operator' });
    expect((await former.fetch('/operator')).status).toBe(200);
    await metered.ledger.change(former.id, { role: null });
    await expect
      .poll(async () => (await former.fetch('/operator')).status, { timeout: 5000 })
      .toBe(403);
  });

  it('is not cached, indexed, framed or scripted, and escapes the names of accounts', async () => {
    const response = await operator.fetch('/operator');
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const page = await response.text();
    expect(page).not.toMatch(/<script|style=|javascript:/i);
    expect(page).toContain(
      '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Söhne&#39;',
    );
    for (const [, link = ''] of page.matchAll(/\s(?:href|src)="([^"#]+)/g))
      expect([
        link,
        (await metered.gateway.fetch(`/${link}`, { headers: { accept: 'text/html' } })).status,
      ]).toEqual([link, 200]);
  });

  it('accepts passwords nowhere else', async () => {
    await using required = await startMeteredGateway({
      env: { OPERATOR_PAGE: 'on', AUTH: 'required' },
    });
    const { key } = await required.newCustomer({ role: 'operator' });
    for (const path of ['/v1/tlds', '/graphql?query={__typename}']) {
      const response = await required.gateway.fetch(path, { headers: basic(key) });
      expect([path, response.status]).toEqual([path, 401]);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
    }
  });

  it('shows the state, limits and trust of registries, those in need of attention first', async () => {
    const { host } = new URL(metered.registry.baseUrl);
    metered.registry.on('free.example', () => notFound());
    await customer.fetch('/v1/status?domain=free.example');
    const denic = 'rdap.denic.de | Not queried | de | none | 0 of 1000 | 0 | | | |';
    for (const find of ['de', '.DE', 'denic'])
      expect(await rowsOf(operator, 'Registries', `?find=${find}`)).toContain(denic);
    expect(await rowsOf(operator, 'Registries', '?find=nothing')).toEqual([]);
    expect(await rowsOf(operator, 'Problems')).toEqual(['None | |']);
    expect(await rowsOf(operator, 'Registries')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${host} \\| Healthy \\| example, google, tld0 and 100 more \\| none \\| 0 of 1000 \\| 0 \\| \\| \\d+ ms \\| 0 % \\| 1 proven$`,
        ),
      ),
    ]);
    metered.registry.on('busy.example', () => status(429, { 'retry-after': '60' }));
    await customer.fetch('/v1/status?domain=busy.example');
    expect((await rowsOf(operator, 'Registries')).slice(0, 1)).toEqual([
      expect.stringMatching(
        new RegExp(`^${host} \\| Back-off until \\d{4}-\\d\\d-\\d\\d [\\d:]+Z \\|`),
      ),
    ]);
    expect(await rowsOf(operator, 'Problems')).toEqual([
      expect.stringMatching(
        new RegExp(`^${host} \\(example, .*\\) \\| Back-off until .* \\| .*RDAP_LIMITS`),
      ),
    ]);
  });

  it('shows unknown answers by TLD and reason, with their share', async () => {
    const all = async () =>
      (await rowsOf(operator, 'Unknown answers')).filter((row) => row.startsWith('All'));
    metered.registry.on('broken.example', () => status(500));
    await customer.fetch('/v1/status?domain=broken.example');
    const before = await all();
    expect(before).toEqual([expect.stringMatching(/^All \| \d+ \| \d+ \| \d+ % \| registry_/)]);
    for (const domain of ['down.test', 'html.test', 'taken.test', 'down.shop.test', 'a b.test'])
      await customer.fetch(`/v1/status?domain=${encodeURIComponent(domain)}`);
    const rows = await rowsOf(operator, 'Unknown answers');
    // The sandbox does not count.
    expect(await all()).toEqual(before);
    expect(rows).toContain(
      'test | 3 | 4 | 75 % | registry_error 2 (50 %) untrusted_answer 1 (25 %)',
    );
  });

  it('shows how much of its credits each account has used', async () => {
    await metered.ledger.charge(operator.id, 5);
    const gone = await metered.newCustomer({ name: 'Gone', credits: 100 });
    await metered.ledger.charge(gone.id, 50);
    await metered.ledger.revoke(gone.id);
    const rows = await rowsOf(operator, 'Accounts');
    expect(rows[0]).toMatch(
      new RegExp(`^Gone \\| ${gone.id} \\| revoked \\| 50 \\| 100 \\| 50 % \\| `),
    );
    expect(rows).toContainEqual(
      expect.stringMatching(
        new RegExp(` \\| ${operator.id} \\| active \\| 5 \\| 5 \\| 100 % \\| .+Z \\| operator$`),
      ),
    );
  });

  it('shows at most 100 accounts, and says how many there are', async () => {
    for (let count = 0; count < 110; count += 1) await metered.newCustomer();
    expect(await rowsOf(operator, 'Accounts')).toHaveLength(100);
    const total = (await metered.ledger.list()).filter(
      ({ revokedAt }) => revokedAt === null,
    ).length;
    const page = await (await operator.fetch('/operator')).text();
    expect(page).toContain(`100 of ${total + 1} are shown.`);
  });
});

it('counts wrong keys for the operator page against the limit on wrong keys', async () => {
  const env = { OPERATOR_PAGE: 'on', RATE_LIMIT: '12' };
  await using metered = await startMeteredGateway({ env, clock: frozenClock() });
  const operator = await metered.newCustomer({ role: 'operator' });
  const guess = () => metered.gateway.fetch('/operator', { headers: basic(generateKey()) });
  expect(statuses(await sequentially(15, guess))).toEqual({ 401: 12, 429: 3 });
  expect(
    (await metered.gateway.fetch('/v1/tlds', { headers: { 'x-api-key': generateKey() } })).status,
  ).toBe(429);
  expect((await operator.fetch('/operator')).status).toBe(200);
});

it('marks servers whose "not found" is not trusted, before those without a problem', async () => {
  // Sorts before the registry.
  await using overrides = await writeBootstrap(bootstrapOf({ other: 'https://0.invalid/' }));
  const env = { OPERATOR_PAGE: 'on', RDAP_OVERRIDES: overrides.path };
  await using metered = await startMeteredGateway({ env });
  const operator = await metered.newCustomer({ role: 'operator' });
  const lookUp = () => operator.fetch('/v1/status?domain=known.example&max_age=0');
  metered.registry.on('known.example', ({ name }) => registered(name));
  await lookUp();
  // The server has lost its data.
  metered.registry.on(/./, () => notFound());
  await lookUp();
  expect(await rowsOf(operator, 'Registries')).toEqual([
    expect.stringMatching(/ \| Not trusted \| .* \| Ignored for example\.$/),
  ]);
  expect(await rowsOf(operator, 'Problems', '?find=other')).toEqual([
    expect.stringMatching(/ \| Not trusted \| .*SOURCES_FILE/),
  ]);
});

it.skipIf(postgresMissing)(
  `shows registries on the operator page while accounts cannot be read${postgresMissing ? ` (skipped: ${postgresMissing})` : ''}`,
  async () => {
    await using postgres = await startPostgres();
    await using fleet = await startMeteredFleet(postgres, 1, { env: { OPERATOR_PAGE: 'on' } });
    const operator = (await fleet.newCustomer({ role: 'operator' })).at(0);
    expect((await operator.fetch('/operator')).status).toBe(200);
    await postgres.freeze();
    await expect
      .poll(async () => (await operator.fetch('/operator')).text(), { timeout: 5000 })
      .toContain('They could not be read.');
    expect(await rowsOf(operator, 'Registries', '?find=de')).toContainEqual(
      expect.stringContaining('Not queried'),
    );
    expect(await rowsOf(operator, 'Problems')).toEqual([
      expect.stringMatching(/^Watches \| Not readable \| .*STORE_URL/),
      expect.stringMatching(/^Accounts \| Not readable \| /),
    ]);
    expect(await rowsOf(operator, 'Accounts')).toEqual([]);
    expect(await rowsOf(operator, 'Watches')).toEqual(['They could not be read. Check the store.']);
    await postgres.thaw();
  },
);

it('shows accounts on the operator page without a write to the ledger', async () => {
  await using metered = await startMeteredGateway({ env: { OPERATOR_PAGE: 'on' } });
  const operator = await metered.newCustomer({ role: 'operator' });
  expect(await rowsOf(operator, 'Watches')).toEqual(['0 | 0 | 0 | 0 s | 0 | 0 | 0']);
  using other = new DatabaseSync(join(metered.folder, 'gateway.db'));
  other.exec('BEGIN IMMEDIATE');
  expect(await rowsOf(operator, 'Accounts')).toHaveLength(1);
  other.exec('ROLLBACK');
});

it('draws the load, credits and unknown answers of the last two hours', async () => {
  const clock = manualClock(Date.parse('2026-11-28T12:00:00Z'));
  await using metered = await startMeteredGateway({ env: { OPERATOR_PAGE: 'on' }, clock });
  const operator = await metered.newCustomer({ role: 'operator' });
  const plots = async () => {
    const page = await (await operator.fetch('/operator?refresh')).text();
    return Array.from(page.matchAll(/<figcaption>(.*?)<\/figcaption>/g), ([, text]) => text);
  };
  metered.registry.on('broken.example', () => status(500));
  await operator.fetch('/v1/status?domain=free.example');
  await operator.fetch('/v1/status?domain=broken.example');
  expect(await plots()).toEqual([
    expect.stringMatching(/^Requests per minute: now \d+, at most \d+$/),
    expect.stringMatching(/^Mean response time, ms: now /),
    'Credits per minute: now 1, at most 1',
    'Unknown: registry_error, % of answers: now 50, at most 50',
  ]);
  clock.advance(119 * 60_000);
  expect(await plots()).toContain('Credits per minute: now 0, at most 1');
  clock.advance(60_000);
  expect(await plots()).toContain('Credits per minute: now 0, at most 0');
  const { headers } = await operator.fetch('/operator?refresh');
  expect(headers.get('refresh')).toBe('60');
});

it('hides the operator page unless it is on', async () => {
  await using gateway = await startGateway();
  const shown = async (path: string, init: RequestInit) => {
    const { status: code, headers } = await gateway.fetch(path, init);
    return [code, headers.get('www-authenticate'), headers.get('allow')];
  };
  for (const init of [{}, { method: 'POST' }, { method: 'OPTIONS' }, { headers: basic('x') }])
    expect(await shown('/operator', init)).toEqual(await shown('/nothing', init));
});
