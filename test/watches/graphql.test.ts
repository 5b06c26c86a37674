import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { costIn } from '../support/gateways/metered-gateway.ts';
import { registered } from '../support/bodies/replies.ts';
import { startWatching } from './watching.ts';

const watching = await forThisFile(startWatching);

const watch = `mutation ($domains: [String!]!, $label: String) {
  watch(domains: $domains, label: $label) { domain label startedAt status available problem { code } }
}`;

describe('GraphQL', () => {
  it('watches names, pays for them once, and lists them in pages', async () => {
    const customer = await watching.newCustomer();
    const domains = ['B.example', 'a.example', 'free.test', 'a..b', 'x.unknown-tld'];
    const response = await customer.graphql(watch, { domains, label: 'shop' });
    expect(costIn(response)).toMatchObject({ requested: 20, charged: 20 });
    const { data } = (await response.json()) as Json;
    expect(data.watch.map((row: Json) => [row.domain, row.label, row.problem?.code])).toEqual([
      ['b.example', 'shop', undefined],
      ['a.example', 'shop', undefined],
      ['free.test', 'shop', undefined],
      ['a..b', null, 'invalid_name'],
      ['x.unknown-tld', null, 'unsupported_tld'],
    ]);
    await customer.graphql(watch, { domains });
    expect((await customer.balance()).used).toBe(20);
    const page = async (args: string) => {
      const query = `{ watches(${args}) { nodes { domain } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;
      return ((await (await customer.graphql(query)).json()) as Json).data.watches;
    };
    expect(await page('first: 2')).toEqual({
      nodes: [{ domain: 'a.example' }, { domain: 'b.example' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, endCursor: 'b.example' },
    });
    expect(await page('label: "shop", after: "b.example"')).toMatchObject({
      nodes: [{ domain: 'free.test' }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    const unwatch = `mutation { unwatch(domains: ["a.example"]) { domain startedAt } }`;
    expect(await (await customer.graphql(unwatch)).json()).toMatchObject({
      data: { unwatch: [{ domain: 'a.example', startedAt: null }] },
    });
    expect((await page('first: 1')).nodes).toEqual([{ domain: 'b.example' }]);
  });

  it('counts the names of all fields of an operation', async () => {
    const customer = await watching.newCustomer();
    const domains = Array.from({ length: 1500 }, (_, index) => `n${index}.test`);
    const twice = `mutation ($domains: [String!]!) {
      first: unwatch(domains: $domains) { domain }
      second: unwatch(domains: $domains) { domain }
    }`;
    const { errors } = (await (await customer.graphql(twice, { domains })).json()) as Json;
    expect(errors).toMatchObject([{ extensions: { code: 'too_many_lookups' } }]);
  });

  it('watches nothing with too few credits', async () => {
    const customer = await watching.newCustomer({ credits: 15 });
    const response = await customer.graphql(watch, { domains: ['a.example', 'b.example'] });
    const { errors } = (await response.json()) as Json;
    expect(errors[0].extensions).toMatchObject({
      code: 'insufficient_credits',
      creditsRequired: 20,
      creditsRemaining: 15,
    });
    const { data } = (await (
      await customer.graphql('{ watches { nodes { domain } } }')
    ).json()) as Json;
    expect([data.watches.nodes, (await customer.balance()).used]).toEqual([[], 0]);
  });

  it.each([
    ['mutation { watch(domains: []) { domain } }', 'missing_parameter', 'domains'],
    ['mutation { watch(domains: ["a.test"], label: "") { domain } }', 'invalid_parameter', 'label'],
    ['{ watches(first: 0) { nodes { domain } } }', 'invalid_parameter', 'first'],
    ['{ changes(first: 501) { nodes { id } } }', 'invalid_parameter', 'first'],
    ['{ changes(types: []) { nodes { id } } }', 'missing_parameter', 'types'],
    ['{ changes(domain: "a..b") { nodes { id } } }', 'invalid_name', 'domain'],
    ['{ changes(after: "x") { nodes { id } } }', 'cursor_expired', 'after'],
    ['subscription { changes(after: "x") { id } }', 'cursor_expired', 'after'],
    ['mutation { createWebhook(url: "x") { id } }', 'invalid_parameter', 'url'],
    ['mutation { updateWebhook(id: "x") { id } }', 'not_found', undefined],
    ['mutation { deleteWebhook(id: "x") }', 'not_found', undefined],
  ])('rejects %s', async (query, code, param) => {
    const customer = await watching.newCustomer();
    const headers = query.startsWith('subscription') ? { accept: 'text/event-stream' } : {};
    const text = await (await customer.graphql(query, {}, headers)).text();
    const { errors } = JSON.parse(
      text.replace(/^event: next\ndata: |\n\nevent: complete[^]*$/g, ''),
    );
    expect(errors[0].extensions).toMatchObject({ code, ...(param && { param }) });
    if (code === 'cursor_expired')
      expect(errors[0].extensions.oldestCursor).toMatch(/^[0-9a-f]{10}-\d+$/);
    expect((await customer.balance()).used).toBe(0);
  });

  it('rejects mutations by GET', async () => {
    const customer = await watching.newCustomer();
    const query = encodeURIComponent('mutation { deleteWebhook(id: "x") }');
    const response = await customer.fetch(`/graphql?query=${query}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('returns changes, whose names are looked up and charged if their fields are selected', async () => {
    const customer = await watching.newCustomer();
    await customer.graphql(watch, { domains: ['c.example', 'd.example'] });
    await watching.change('c.example', 'REGISTRAR');
    await watching.change('d.example', 'AVAILABLE');
    await watching.change('c.example', 'EXPIRY');
    const read = async (fields: string, args = 'first: 9') => {
      const response = await customer.graphql(
        `query ${fields.includes('$no') ? '($no: Boolean = false)' : ''} { changes(${args}) { nodes { ${fields} } pageInfo { endCursor } } }`,
      );
      const { data } = (await response.json()) as Json;
      return { ...data.changes, cost: costIn(response) };
    };
    const { nodes, cost } = await read(
      'id type before after domain { domain tld available @include(if: $no) }',
    );
    expect(nodes.map((node: Json) => [node.type, node.domain])).toEqual([
      ['REGISTRAR', { domain: 'c.example', tld: 'example' }],
      ['AVAILABLE', { domain: 'd.example', tld: 'example' }],
      ['EXPIRY', { domain: 'c.example', tld: 'example' }],
    ]);
    expect(nodes[0]).toMatchObject({ after: { registrar: { name: 'New' } } });
    expect(cost).toMatchObject({ requested: 0, charged: 0 });
    const looked = await read('domain { available }');
    expect(looked.nodes.map(({ domain }: Json) => domain.available)).toEqual([true, true, true]);
    expect(looked.cost).toMatchObject({ requested: 2, charged: 2 });
    const [record, verdict] = ['domain { registration { id } }', 'domain { available }'];
    for (const fields of [record, `${record} v: ${verdict}`, `v: ${verdict} ${record}`])
      expect((await read(fields, 'types: [EXPIRY]')).cost).toMatchObject({ charged: 2 });
    expect((await read('id', `after: "${nodes[1].id}", domain: "C.EXAMPLE"`)).nodes).toEqual([
      { id: nodes[2].id },
    ]);
    const site = await customer.graphql('{ changes { nodes { domain { robots { cached } } } } }');
    expect(((await site.json()) as Json).errors[0]).toMatchObject({
      message: expect.stringContaining('select `robots` on `domain(name:)`') as unknown,
      extensions: { code: 'invalid_query' },
    });

    const poor = await watching.newCustomer({ credits: 10 });
    await poor.graphql(watch, { domains: ['d.example'] });
    await watching.change('d.example', 'REGISTERED');
    const refused = await poor.graphql('{ changes { nodes { domain { available reason } } } }');
    expect(((await refused.json()) as Json).data.changes.nodes).toEqual([
      { domain: { available: null, reason: 'insufficient_credits' } },
    ]);
  });

  it('subscribes: replays, then sends each new change', async () => {
    const customer = await watching.newCustomer();
    await customer.graphql(watch, { domains: ['e.example'] });
    await watching.change('e.example', 'PHASE');
    const { changes } = (
      (await (await customer.graphql('{ changes { nodes { id } } }')).json()) as Json
    ).data;
    await watching.change('e.example', 'DNSSEC');
    const events = await watching.events(customer, '/graphql', {
      query: `subscription { changes(after: "${changes.nodes[0].id}", types: [DNSSEC, EXPIRY]) { type domain { domain available } } }`,
    });
    const next = async () => (await events.next()).data.changes;
    expect(await next()).toEqual({
      type: 'DNSSEC',
      domain: { domain: 'e.example', available: true },
    });
    await watching.change('e.example', 'PHASE');
    await watching.change('e.example', 'EXPIRY');
    expect(await next()).toMatchObject({ type: 'EXPIRY' });
    await events.close();
    await expect.poll(async () => (await customer.balance()).used).toBe(11);
  });

  it('looks a name up once for all its earlier changes', async () => {
    watching.registry.on('often.example', registered('often.example'));
    // Ten credits for the watch, and two for the record.
    const customer = await watching.newCustomer({ credits: 12 });
    await customer.graphql(watch, { domains: ['often.example'] });
    for (let at = 0; at < 5; at += 1) await watching.change('often.example', 'EXPIRY');
    const sent = watching.registry.requestCount('often.example');
    const { changes } = await (await customer.fetch('/v1/changes')).json();
    const events = await watching.events(customer, '/graphql', {
      query: `subscription { changes(after: "${changes[0].id}") { domain { rdap { raw } available } } }`,
    });
    for (let at = 1; at < 5; at += 1)
      expect((await events.next()).data.changes).toMatchObject({ domain: { available: false } });
    await events.close();
    expect(watching.registry.requestCount('often.example') - sent).toBeLessThanOrEqual(1);
  });

  it('manages webhooks, whose secret is returned once', async () => {
    const [customer, other] = [await watching.newCustomer(), await watching.newCustomer()];
    const run = async (query: string, by = customer) =>
      ((await (await by.graphql(query)).json()) as Json).data;
    const { createWebhook: created } = await run(
      'mutation { createWebhook(url: "https://hook.example/", types: [AVAILABLE]) { id secret cursor } }',
    );
    expect(created.secret).toMatch(/^whsec_/);
    const update = (args: string) =>
      `mutation { updateWebhook(id: "${created.id}"${args}) { types secret } }`;
    expect((await run(update(', types: [EXPIRY]'))).updateWebhook).toEqual({
      types: ['EXPIRY'],
      secret: null,
    });
    const { updateWebhook: rotated } = await run(update(', rotateSecret: true'));
    expect(rotated.secret === created.secret).toBe(false);
    expect(rotated.secret.slice(0, 6)).toBe('whsec_');
    expect((await run('{ webhooks { id url disabled lastProblem } }')).webhooks).toEqual([
      { id: created.id, url: 'https://hook.example/', disabled: false, lastProblem: null },
    ]);
    const remove = `mutation { deleteWebhook(id: "${created.id}") }`;
    expect((await run(remove, other)).deleteWebhook).toBeNull();
    expect((await run(remove)).deleteWebhook).toBe(created.id);
  });
});
