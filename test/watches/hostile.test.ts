import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import type { Caller, Customer } from '../support/gateways/metered-gateway.ts';
import { postgresMissing } from '../support/stores/postgres.ts';
import { sharedPostgres } from '../support/stores/shared-postgres.ts';
import { startWatching } from './watching.ts';

const watching = await forThisFile(startWatching);
const customer = await watching.newCustomer();

const statusOf = async (path: string, init?: RequestInit) =>
  (await watching.gateway.fetch(path, init)).status;
const graphql = async (caller: Caller, query: string, variables = {}): Promise<Json> =>
  (await caller.graphql(query, variables)).json();
const watch = (caller: Caller, domains: readonly string[]) =>
  caller.post('/v1/watches', { domains });

const used = async (payer: Customer) => (await payer.balance()).used;
const count = async (payer: Customer) =>
  (await (await payer.fetch('/v1/watches?limit=500')).json()).watches.length;

describe('the token of a feed', () => {
  it('reads nothing else, nothing of others, and is in no response', async () => {
    const other = await watching.newCustomer();
    await watch(other, ['secret.example']);
    await watch(customer, ['mine.example']);
    await watching.change('secret.example', 'EXPIRY');
    await watching.change('mine.example', 'EXPIRY');
    const feed = await (await customer.post('/v1/feeds', {})).json();
    const [token = ''] = /[0-9a-f]{40}/.exec(feed.atom) ?? [];
    const atom = await (await fetch(feed.atom)).text();
    expect([atom.includes('mine.example'), atom.includes('secret')]).toEqual([true, false]);
    expect(atom).not.toContain(token);
    const filtered = await fetch(`${feed.atom}&domain=secret.example`);
    expect(await filtered.text()).not.toContain('<entry>');
    for (const path of ['watches', 'webhooks', 'feeds', 'status?name=taken&tlds=test'])
      expect(
        await statusOf(`/v1/${path}${path.includes('?') ? '&' : '?'}token=${token}`),
        path,
      ).toBe(401);
    const stream = { headers: { accept: 'text/event-stream' } };
    expect((await fetch(feed.atom, stream)).headers.get('content-type')).toMatch('atom');
    const broken = [`${feed.atom}&after=x`, `${feed.atom}x`, `${feed.calendar}&naming=kebab`];
    for (const url of broken) {
      const { status, body } = await fetch(url).then(async (response) => ({
        status: response.status,
        body: await response.text(),
      }));
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).not.toContain(token);
    }
  });

  it.each(['token=', 'token=&token=', 'token=x', `token=${'a'.repeat(10_000)}`, 'token=%00'])(
    'is not %j, which reads nothing without a key',
    async (query) => {
      for (const path of ['changes', 'calendar.ics'])
        expect(await statusOf(`/v1/${path}?${query}`)).toBeOneOf([400, 401, 404, 414]);
    },
  );
});

it('the changes of others are in no reader, with any cursor or filter', async () => {
  const [victim, thief] = [await watching.newCustomer(), await watching.newCustomer()];
  await watch(victim, ['private.example']);
  await watching.change('private.example', 'REGISTRAR');
  await watching.change('private.example', 'EXPIRY');
  const { changes } = await (await victim.fetch('/v1/changes')).json();
  expect(changes).toHaveLength(2);
  const after = changes[0].id;
  for (const query of ['', `?after=${after}`, '?domain=private.example', '?types=expiry'])
    expect((await (await thief.fetch(`/v1/changes${query}`)).json()).changes).toEqual([]);
  const { data } = await graphql(
    thief,
    `
      query ($after: ID) {
        changes(after: $after) {
          nodes {
            id
          }
        }
        watches {
          nodes {
            domain
          }
        }
        webhooks {
          id
        }
      }
    `,
    { after },
  );
  expect(data).toEqual({ changes: { nodes: [] }, watches: { nodes: [] }, webhooks: [] });
  // Whoever begins to watch a name does not get its past.
  await watch(thief, ['private.example']);
  expect((await (await thief.fetch('/v1/changes')).json()).changes).toEqual([]);
});

describe('the price', () => {
  it.each<[string, string, number]>([
    [
      'aliases of one name',
      'a: watch(domains: ["p.example"]) { domain } b: watch(domains: ["P.example."]) { domain }',
      1,
    ],
    [
      'watching, not watching, and watching again',
      'a: watch(domains: ["p.example"]) { domain } b: unwatch(domains: ["p.example"]) { domain } c: watch(domains: ["p.example"]) { domain }',
      1,
    ],
    [
      'aliases of names, one of which fails',
      'a: watch(domains: ["p.example", "q.example"]) { domain } b: createWebhook(url: "x") { id }',
      2,
    ],
    [
      'a list with repetitions',
      'watch(domains: ["p.example", "p.example", "q.example"]) { domain }',
      2,
    ],
  ])('is the same for %s', async (_because, fields, names) => {
    const payer = await watching.newCustomer();
    await graphql(payer, `mutation { ${fields} }`);
    expect([await used(payer), await count(payer)]).toEqual([names * 10, names]);
  });

  it('is not more than there is, however many requests are made at once', async () => {
    const payer = await watching.newCustomer({ credits: 50 });
    const names = Array.from({ length: 20 }, (_, at) => `n${at}.example`);
    // A busy node rejects requests without a charge.
    const sendUntilServed = async (name: string, at: number): Promise<number> => {
      const { status } =
        at % 2 > 0
          ? await watch(payer, [name])
          : await payer.graphql(`mutation { watch(domains: ["${name}"]) { domain } }`);
      return status === 503 ? sendUntilServed(name, at) : status;
    };
    const statuses = await Promise.all(names.map(sendUntilServed));
    expect(new Set(statuses)).toEqual(new Set([200, 402]));
    expect([await used(payer), await count(payer)]).toEqual([50, 5]);
  });

  it('is taken for what is watched, also if the client does not wait for the response', async () => {
    const payer = await watching.newCustomer();
    await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const client = new AbortController();
        const { signal } = client;
        const sent = payer.post('/v1/watches', { domains: [`q${at}.example`] }, {}, signal);
        for (let turn = 0; turn < at * 4; turn += 1) await yieldToEventLoop();
        client.abort();
        await sent.catch(() => undefined);
      }),
    );
    await expect.poll(() => watching.openReservations()).toBe(0);
    await expect.poll(async () => (await used(payer)) / 10 - (await count(payer))).toBe(0);
  });
});

describe('sizes', () => {
  const long = 'x'.repeat(10_000);

  it.each<[string, Json]>([
    ['{ watches(first: 100000) { nodes { domain } } }', 'first'],
    ['{ changes(first: 100000) { nodes { id } } }', 'first'],
    ['{ changes(first: -1) { nodes { id } } }', 'first'],
    ['{ changes(after: $long) { nodes { id } } }', 'after'],
    ['{ changes(domain: $long) { nodes { id } } }', 'domain'],
    ['mutation { watch(domains: ["a.test"], label: $long) { domain } }', 'label'],
    ['mutation { watch(domains: ["a.test"], label: "a\\u0000b") { domain } }', 'label'],
    ['mutation { createWebhook(url: $long) { id } }', 'url'],
    ['mutation { createWebhook(url: "https://a.example/", after: $long) { id } }', 'after'],
    ['mutation { watch(domains: []) { domain } }', 'domains'],
  ])('are limited: %s', async (query, param) => {
    const { errors, data } = await graphql(customer, query.replace('$long', JSON.stringify(long)));
    expect([data ?? null, errors?.[0]?.extensions?.param]).toEqual([null, param]);
    expect(errors[0].extensions.code).not.toBe('internal');
  });

  it.each(['watch', 'unwatch'])('are limited: the list of names of %s', async (field) => {
    const domains = Array.from({ length: 2001 }, (_, at) => `m${at}.example`);
    const query = `mutation ($domains: [String!]!) { ${field}(domains: $domains) { domain } }`;
    const { errors } = await graphql(customer, query, { domains });
    expect(errors?.[0]?.extensions.code).toBe('too_many_lookups');
  });

  it('of a list of types do not grow a webhook', async () => {
    const types = Array(2000).fill('available');
    const { types: stored } = await (
      await customer.post('/v1/webhooks', { url: 'https://hook.example/', types })
    ).json();
    expect(stored).toEqual(['available']);
  });

  it('do not keep a feed from showing the latest changes of names that flap', async () => {
    const flapping = await watching.newCustomer();
    await watch(flapping, ['flap.example']);
    for (let at = 0; at < 2001; at += 1) await watching.change('flap.example', 'REGISTERED');
    const accept = { headers: { accept: 'application/atom+xml' } };
    const atom = await (await flapping.fetch('/v1/changes', accept)).text();
    const ids = Array.from(atom.matchAll(/#([^<]+)<\/id>/g), ([, id]) => id);
    const { changes } = await (await flapping.fetch(`/v1/changes?after=${ids.at(-2)}`)).json();
    expect([ids.length, changes.map(({ id }: Json) => id)]).toEqual([2000, ids.slice(-1)]);
  });

  it('of ten thousand watches are read in pages, in a calendar and by name', async () => {
    const owner = await watching.newCustomer({ credits: 200_000 });
    for (let page = 0; page < 5; page += 1) {
      const names = Array.from({ length: 2000 }, (_, at) => `w${page * 2000 + at}.tld${at % 100}`);
      expect((await watch(owner, names)).status).toBe(200);
    }
    let seen = 0;
    for (let after: string | null = ''; after !== null;) {
      const page: Json = await (
        await owner.fetch(`/v1/watches?limit=500${after && `&after=${after}`}`)
      ).json();
      seen += page.watches.length;
      after = page.next;
    }
    expect([seen, (await owner.balance()).used]).toEqual([10_000, 100_000]);
    await watching.change('w77.tld77', 'EXPIRY');
    const { changes } = await (await owner.fetch('/v1/changes')).json();
    expect(changes.map(({ domain }: Json) => domain)).toEqual(['w77.tld77']);
  });
});

it.skipIf(postgresMissing)('NUL and half characters are no faults of PostgreSQL', async () => {
  const env = { STORE_URL: await sharedPostgres.database(), AUTH: 'open' };
  await using gateway = await startGateway({ env });
  const json = { 'content-type': 'application/json' };
  const unwatch = 'mutation ($domains: [String!]!) { unwatch(domains: $domains) { domain } }';
  const requests: [string, string, Json?][] = [
    ['POST', '/v1/watches', { domains: ['a\0b.test'] }],
    ['POST', '/v1/watches', { domains: ['a.test'], label: 'a\0b' }],
    ['POST', '/v1/watches', { domains: ['a\uD800b.test'], label: 'a\uD800b' }],
    ['POST', '/graphql', { query: unwatch, variables: { domains: ['\uDC00'] } }],
    ['GET', '/v1/watches?label=%00'],
    ['GET', '/v1/watches?after=%00'],
    ['GET', '/v1/changes?after=%00'],
    ['GET', '/v1/changes?domain=%00'],
    ['GET', '/v1/calendar.ics?label=%00'],
    ['GET', '/v1/calendar.ics?token=%00'],
    ['DELETE', '/v1/watches/%00'],
    ['DELETE', '/v1/feeds/%00'],
    ['DELETE', '/v1/webhooks/%00'],
    ['PATCH', '/v1/webhooks/%00', {}],
    ['POST', '/v1/webhooks/%00/test'],
    ['POST', '/graphql', { query: 'mutation { deleteWebhook(id: "\\u0000") }' }],
    ['POST', '/graphql', { query: '{ watches(after: "\\u0000") { nodes { domain } } }' }],
  ];
  for (const [method, path, body] of requests) {
    const init = { method, headers: json, ...(body && { body: JSON.stringify(body) }) };
    const response = await gateway.fetch(path, init);
    expect(response.status, `${method} ${path}`).toBeLessThan(500);
    expect(await response.text(), `${method} ${path}`).not.toContain('"internal"');
  }
});
