import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { problems, type ProblemCode } from '../../src/domain/problems.ts';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { connectMcp } from '../support/requests/mcp-client.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { expectMatchesOpenApi } from '../support/checks/described.ts';
import { scrapeUntil } from '../support/checks/scrape.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { paused } from '../support/bodies/scripts.ts';
import { html, redirect, registered, status } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const metered = await forThisFile(startMeteredGateway);
const keys = ['id', 'domain', 'verdict', 'rule', 'created_at', 'jws', 'url'];

const paths = {
  create: 'post /v1/receipts',
  read: 'get /v1/receipts/{id}',
  remove: 'delete /v1/receipts/{id}',
} as const;

async function expectCode(
  response: Response,
  code: ProblemCode,
  path: keyof typeof paths = 'create',
): Promise<void> {
  await expectMatchesOpenApi(response.clone(), paths[path]);
  expect([(await response.json()).code, response.status]).toEqual([code, problems[code].status]);
}

function kidOf({ jws }: { readonly jws: string }): string {
  return JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()).kid;
}

/** Returns a receipt, its status and what is charged for it. */
async function create(domain: string, headers: Record<string, string> = {}) {
  const customer = await metered.newCustomer();
  const response = await customer.post('/v1/receipts', { domain }, headers);
  const body = await response.json();
  return { customer, response, body, used: (await customer.balance()).used };
}

describe('POST /v1/receipts', () => {
  it.each([
    ['free.example', 'available', 5],
    ['nic.example', 'registered', 5],
    ['html.example', 'unknown', 0],
    ['moved.example', 'registered', 5],
    ['taken.test', 'registered', 0],
  ])('charges for the verdict of %s, %s: %i', async (domain, verdict, credits) => {
    metered.registry.on('html.example', html(404));
    metered.registry.on('moved.example', redirect('/moved/%E0'));
    metered.registry.on((_, { url }) => url === '/moved/%E0', registered('moved.example'));
    const { response, body, used } = await create(domain);
    await expectMatchesOpenApi(Response.json(body, response), paths.create);
    expect([response.status, Object.keys(body), body.verdict]).toEqual([201, keys, verdict]);
    expect(body).toMatchObject({ domain, url: `${metered.gateway.url}/receipts/${body.id}` });
    expect(body.id).toMatch(/^[\w-]{22,}$/);
    expect(used).toBe(credits);
    expect(response.headers.get('x-credits-charged')).toBe(String(credits));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    [{}, 'missing_parameter'],
    [{ domain: '' }, 'missing_parameter'],
    [{ domain: 5 }, 'invalid_body'],
    [[], 'invalid_body'],
    [{ domain: 'not a name' }, 'invalid_name'],
    [{ domain: 'a.unknown-tld' }, 'unsupported_tld'],
  ] as const)('rejects %j for free', async (body, code) => {
    const customer = await metered.newCustomer();
    await expectCode(await customer.post('/v1/receipts', body), code);
    expect((await customer.balance()).used).toBe(0);
  });

  it('requires a key and enough credits, and looks nothing up without them', async () => {
    const url = `${metered.gateway.url}/v1/receipts`;
    const body = JSON.stringify({ domain: 'poor.example' });
    const headers = { 'content-type': 'application/json' };
    await expectCode(await fetch(url, { method: 'POST', body, headers }), 'missing_api_key');
    const customer = await metered.newCustomer({ credits: 4 });
    const response = await customer.post('/v1/receipts', { domain: 'poor.example' });
    await expectCode(response, 'insufficient_credits');
    expect(metered.registry.requestCount('poor.example')).toBe(0);
  });

  it('returns the same receipt for the same Idempotency-Key, charged once', async () => {
    const { customer, body } = await create('once.example', { 'idempotency-key': 'k1' });
    const repeat = (domain: string) =>
      customer.post('/v1/receipts', { domain }, { 'idempotency-key': 'k1' });
    expect(await (await repeat('once.example')).json()).toEqual(body);
    await expectCode(await repeat('other.example'), 'idempotency_conflict');
    expect((await customer.balance()).used).toBe(5);
    expect(metered.registry.requestCount('once.example')).toBe(1);
  });

  it('is found by an Idempotency-Key that an earlier release has stored', async () => {
    const { customer, body } = await create('upgraded.example', { 'idempotency-key': 'k2' });
    using file = new DatabaseSync(join(metered.folder, 'gateway-watches.db'));
    file
      .prepare('UPDATE receipts SET repeat_key = ? WHERE id = ?')
      .run(hash('sha256', 'k2'), body.id);
    const headers = { 'idempotency-key': 'k2' };
    const repeated = await customer.post('/v1/receipts', { domain: 'upgraded.example' }, headers);
    expect(await repeated.json()).toEqual(body);
  });

  it('is not that of another caller without a key, who sends the same Idempotency-Key', async () => {
    await using folder = await scratch();
    await using gateway = await startGateway({
      env: { AUTH: 'open', TRUSTED_PROXIES: '127.0.0.1', STORE_URL: folder.storeUrl },
    });
    const send = async (caller: string, domain: string) => {
      const headers = { 'x-forwarded-for': caller, 'idempotency-key': 'k' };
      return (await gateway.post('/v1/receipts', { domain }, headers)).json();
    };
    const { id } = await send('192.0.2.1', 'taken.test');
    await gateway.fetch(`/v1/receipts/${id}`, { method: 'DELETE' });
    expect(await send('198.51.100.1', 'free.test')).toMatchObject({ domain: 'free.test' });
    expect(await send('192.0.2.1', 'taken.test')).toMatchObject({ domain: 'taken.test' });
  });

  it('is free if the client disconnects while it waits in the queue', async () => {
    await using one = await startMeteredGateway({
      clock: manualClock(),
      env: { RDAP_CONCURRENCY: '1' },
    });
    const [customer, other] = [await one.newCustomer(), await one.newCustomer()];
    const reply = paused(({ name }) => registered(name));
    one.registry.fallback(reply);
    // Besides the receipt's request, the registry's control is queued.
    const queued = (count: number) =>
      scrapeUntil(one.gateway, ({ sum }) => sum('rdap_gateway_registry_requests_queued') === count);

    const slow = other.fetch('/v1/status?domain=slow.example');
    await one.registry.whenRequested('slow.example');
    const client = new AbortController();
    const send = (signal?: AbortSignal) =>
      customer.post('/v1/receipts', { domain: 'cut.example' }, { 'idempotency-key': 'k' }, signal);
    const cut = send(client.signal);
    await queued(2);
    client.abort();
    await expect(cut).rejects.toThrow();
    await queued(1);
    reply.release();
    await slow;
    await expect.poll(() => one.openReservations()).toBe(0);
    expect((await customer.balance()).used).toBe(0);
    expect(one.registry.requestCount('cut.example')).toBe(0);
    await send();
    expect((await customer.balance()).used).toBe(5);
  });

  it('is charged once if the client disconnects after it was sent and repeats it', async () => {
    await using one = await startMeteredGateway();
    const customer = await one.newCustomer();
    const reply = paused(({ name }) => registered(name));
    one.registry.on('nic.example', reply);
    const client = new AbortController();
    const send = (signal?: AbortSignal) =>
      customer.post('/v1/receipts', { domain: 'nic.example' }, { 'idempotency-key': 'k' }, signal);

    const cut = send(client.signal);
    await one.registry.whenRequested('nic.example');
    client.abort();
    await expect(cut).rejects.toThrow();
    await expect.poll(async () => (await customer.balance()).used).toBe(5);
    reply.release();
    expect(await (await send()).json()).toMatchObject({ verdict: 'registered' });
    expect((await customer.balance()).used).toBe(5);
  });

  it('is 501 without a store for keys, and free', async () => {
    await using gateway = await startGateway();
    const response = await gateway.post('/v1/receipts', { domain: 'taken.test' });
    await expectCode(response, 'not_implemented');
    const removed = await gateway.fetch('/v1/receipts/x', { method: 'DELETE' });
    await expectCode(removed, 'not_implemented', 'remove');
    await expectCode(await gateway.fetch('/v1/receipts/x'), 'not_found', 'read');
    expect(await gateway.get('/.well-known/jwks.json')).toEqual({ keys: [] });
  });
});

describe('a receipt', () => {
  it('is read by whoever knows its id, and deleted by its account only', async () => {
    const { customer, body } = await create('kept.example');
    const path = `/v1/receipts/${body.id}`;
    const read = () => metered.gateway.fetch(path);
    const first = await read();
    await expectMatchesOpenApi(first.clone(), paths.read);
    expect(await first.json()).toEqual(body);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const other = await metered.newCustomer();
    await expectCode(await other.fetch(path, { method: 'DELETE' }), 'not_found', 'remove');
    const keyless = await metered.gateway.fetch(path, { method: 'DELETE' });
    await expectCode(keyless, 'missing_api_key', 'remove');
    const removed = await customer.fetch(path, { method: 'DELETE' });
    expect(removed.status).toBe(204);
    await expectMatchesOpenApi(removed, paths.remove);
    await expectCode(await read(), 'not_found', 'read');
    expect((await metered.gateway.fetch(`/receipts/${body.id}`)).status).toBe(404);
  });

  it('has a page without scripts, which is not indexed or stored', async () => {
    metered.registry.on('<script>.example', status(500));
    const { body } = await create('page.example');
    const page = await metered.gateway.fetch(`/receipts/${body.id}`);
    expect(page.headers.get('content-type')).toMatch('text/html');
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const text = await page.text();
    expect(text).toMatch('page.example</strong> is available');
    expect(text).not.toMatch('<script');
    for (const said of ['Who said so?', 'HTTP 404', 'Control: found a name', 'registry_not_found'])
      expect(text).toMatch(said);
    expect(text).toMatch(`rdap-gateway verify ${body.url}`);
    const { body: taken } = await create('taken.test');
    const life = await metered.gateway.fetch(`/receipts/${taken.id}`);
    expect(await life.text()).toMatch('Life of the registration');
    const styles = [...text.matchAll(/rel="stylesheet" href="\.\.\/([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(styles).toContainEqual(expect.stringContaining('picture.css'));
    for (const path of styles) expect((await metered.gateway.fetch(`/${path}`)).status).toBe(200);
  });

  it('redacts contacts, visibly', async () => {
    metered.registry.on('contacts.example', ({ name }) => registered(name));
    const { body } = await create('contacts.example');
    const text = Buffer.from(body.jws.split('.')[1], 'base64url').toString();
    expect(text).toMatch('[redacted]');
    expect(text).not.toMatch(/vcardArray\\":\[|Jane|tel:/);
  });

  it.each([
    ['the credits do not suffice for all', 6, 'second.example', 402],
    ['another one is refused', 20, '-x', 200],
  ])('is not made by a mutation if %s', async (_reason, credits, other, code) => {
    const customer = await metered.newCustomer({ credits });
    const query = `mutation { a: createReceipt(domain: "first.example") { id }
      b: createReceipt(domain: "${other}") { id } }`;
    const response = await customer.post('/graphql', { query });
    // The client would get no id of the first one, which would be charged.
    expect([response.status, (await response.json()).data ?? null]).toEqual([code, null]);
    expect((await customer.balance()).used).toBe(0);
    expect(metered.registry.requestCount('first.example')).toBe(0);
  });

  it('is made and read over GraphQL', async () => {
    const customer = await metered.newCustomer();
    const made = await customer.graphql(
      'mutation { createReceipt(domain: "graph.example") { id domain verdict rule createdAt jws url } }',
    );
    const { createReceipt } = (await made.json()).data;
    expect(createReceipt).toMatchObject({ domain: 'graph.example', verdict: 'AVAILABLE' });
    expect((await customer.balance()).used).toBe(5);
    const query = 'query ($id: ID!) { receipt(id: $id) { jws } none: receipt(id: "x") { id } }';
    const read = await customer.graphql(query, { id: createReceipt.id });
    expect((await read.json()).data).toEqual({ receipt: { jws: createReceipt.jws }, none: null });
  });
});

it('the keys are published with CORS, and a rotation keeps the old ones', async () => {
  const { gateway } = metered;
  const jwks = await gateway.fetch('/.well-known/jwks.json', {
    headers: { origin: 'https://a.example' },
  });
  expect(jwks.headers.get('access-control-allow-origin')).toBe('*');
  const before = (await jwks.json()).keys;
  expect(before[0]).not.toHaveProperty('d');
  const { body: old } = await create('old.example');

  const { url: STORE_URL } = { url: `sqlite:${join(metered.folder, 'gateway.db')}` };
  const env = { ...commandLineEnvironment(metered.folder), STORE_URL };
  const rotated = await runCommandLine(['keys', 'signing', 'rotate'], env);
  expect(rotated).toMatchObject({ code: 0, stderr: '' });
  const { keys: after } = await gateway.get('/.well-known/jwks.json');
  expect(after).toHaveLength(2);
  expect(after[1]).toEqual(before[0]);

  const { body: recent } = await create('recent.example');
  expect([kidOf(recent), kidOf(old)]).toEqual(after.map(({ kid }: { kid: string }) => kid));
  await using folder = await scratch();
  const [file, keysFile] = [join(folder.path, 'r.json'), join(folder.path, 'k.json')];
  await writeFile(keysFile, JSON.stringify({ keys: after }));
  for (const receipt of [old, recent]) {
    await writeFile(file, JSON.stringify(receipt));
    const verified = await runCommandLine(['verify', file, '--keys', keysFile], env);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toMatch(`${receipt.domain} is available`);
  }
});

it('is made by the tool create_receipt', async () => {
  const customer = await metered.newCustomer();
  const headers = { 'x-api-key': customer.key };
  await using mcp = await connectMcp(metered.gateway.url, undefined, headers);
  const { structuredContent } = await mcp.call('create_receipt', { domain: 'tool.example' });
  const verdict = { domain: 'tool.example', verdict: 'available' };
  expect(structuredContent).toMatchObject({ ...verdict, credits: { charged: 5 } });
});

/** Ten receipts that cost no credits. */
const freeReceipts = `mutation { ${Array.from(
  { length: 10 },
  (_, at) => `r${at}: createReceipt(domain: "taken.test") { id }`,
).join(' ')} }`;

/** Each rate limit allows a burst of 1.2 seconds of work, and a fiftieth of a second per request. */
const startLimited = (store: string, RATE_LIMIT: string) =>
  startGateway({ env: { STORE_URL: store, RATE_LIMIT } });

describe('receipts that cost no credits', () => {
  it('are limited by their work, in one operation too', async () => {
    await using folder = await scratch();
    await using gateway = await startLimited(folder.storeUrl, '60');
    const { data, errors = [] } = await gateway.graphql(freeReceipts);
    const again = await gateway.graphql(freeReceipts);
    expect([data === null, again.data]).toEqual([false, null]);
    expect([...errors, ...again.errors].at(-1).extensions.code).toBe('rate_limited');
  });

  it('are limited by the work of their pages', async () => {
    await using folder = await scratch();
    await using gateway = await startLimited(folder.storeUrl, '600');
    const { url } = await (await gateway.post('/v1/receipts', { domain: 'taken.test' })).json();
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => (await fetch(url)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});
