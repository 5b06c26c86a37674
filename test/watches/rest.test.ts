import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import type { Json } from '../support/gateways/gateway.ts';
import { costIn, type Caller } from '../support/gateways/metered-gateway.ts';
import { startWatching } from './watching.ts';

const watching = await forThisFile(startWatching);

/** Sends a request such as `PUT /v1/watches/a.test`. Returns the status and the body. */
async function send(caller: Caller, request: string, body?: unknown, headers = {}) {
  const [method = '', path = ''] = request.split(' ');
  const response = await caller.fetch(path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json: Json = /json/.test(response.headers.get('content-type') ?? '') && JSON.parse(text);
  return { status: response.status, response, text, json };
}

async function read(url: string) {
  const response = await fetch(url);
  return [response.status, response.headers.get('content-type'), await response.text()] as const;
}

/** Returns the number of a day such as `20270331`. */
function dayOf(text: string): number {
  return Date.parse(text.replace(/(..)(..)$/, '-$1-$2')) / 86_400_000;
}

describe('REST', () => {
  it('watches names, pays for them once, and lists them in pages', async () => {
    const customer = await watching.newCustomer();
    const domains = ['B.example', 'a.example', 'free.test', 'a..b', 'x.unknown-tld'];
    const added = await send(customer, 'POST /v1/watches', { domains, label: 'shop' });
    expect([added.status, costIn(added.response)]).toMatchObject([200, { charged: 20 }]);
    expect(
      added.json.watches.map((row: Json) => [row.domain, row.label, row.problem?.code]),
    ).toEqual([
      ['b.example', 'shop', undefined],
      ['a.example', 'shop', undefined],
      ['free.test', 'shop', undefined],
      ['a..b', null, 'invalid_name'],
      ['x.unknown-tld', null, 'unsupported_tld'],
    ]);
    const put = await send(customer, 'PUT /v1/watches/B%C3%BCcher.example', { label: 'books' });
    expect(put.json).toMatchObject({ domain: 'xn--bcher-kva.example', label: 'books' });
    const again = await send(customer, 'PUT /v1/watches/a.example');
    expect([again.json.label, (await customer.balance()).used]).toEqual(['shop', 30]);
    const first = await send(customer, 'GET /v1/watches?limit=2&label=shop');
    expect(first.json.watches.map((row: Json) => row.domain)).toEqual(['a.example', 'b.example']);
    expect(first.json.next).toBe('b.example');
    const etag = first.response.headers.get('etag');
    const unchanged = { 'if-none-match': etag };
    const copy = await send(customer, 'GET /v1/watches?limit=2&label=shop', undefined, unchanged);
    expect(copy.status).toBe(304);
    const rest = await send(customer, `GET /v1/watches?label=shop&after=${first.json.next}`);
    expect([rest.json.watches.length, rest.json.next]).toEqual([1, null]);
    const removed = await send(customer, 'DELETE /v1/watches/a.example');
    expect([removed.status, removed.text]).toEqual([204, '']);
    const left = await send(customer, 'GET /v1/watches?limit=1&naming=snake');
    expect(left.json.watches[0].domain).toBe('b.example');
    expect((await send(await watching.newCustomer(), 'GET /v1/watches')).json.watches).toEqual([]);
  });

  it('watches nothing with too few credits', async () => {
    const customer = await watching.newCustomer({ credits: 15 });
    for (const request of ['POST /v1/watches', 'PUT /v1/watches/c.example']) {
      const domains = ['a.example', 'b.example'];
      if (request.startsWith('PUT')) await send(customer, 'PUT /v1/watches/only.example');
      const refused = await send(customer, request, { domains });
      expect([refused.status, refused.json.code]).toEqual([402, 'insufficient_credits']);
    }
    const { json } = await send(customer, 'GET /v1/watches');
    expect(json.watches.map((row: Json) => row.domain)).toEqual(['only.example']);
  });

  it.each<[string, unknown, number, string, string | undefined]>([
    ['POST /v1/watches', {}, 400, 'missing_parameter', 'domains'],
    [
      'POST /v1/watches',
      { domains: Array(2001).fill('a.test') },
      400,
      'too_many_lookups',
      'domains',
    ],
    ['POST /v1/watches', { domains: 'a.test' }, 400, 'invalid_body', 'domains'],
    ['POST /v1/watches', { domains: [1] }, 400, 'invalid_body', 'domains.0'],
    ['POST /v1/watches', { domains: ['a.test'], label: '' }, 400, 'invalid_parameter', 'label'],
    ['POST /v1/watches', [], 400, 'invalid_body', 'body'],
    ['POST /v1/watches', '{', 400, 'invalid_body', 'body'],
    ['PUT /v1/watches/a..b', undefined, 400, 'invalid_name', 'domain'],
    ['PUT /v1/watches/%zz', undefined, 400, 'invalid_name', 'domain'],
    ['PUT /v1/watches/x.unknown-tld', undefined, 400, 'unsupported_tld', undefined],
    ['DELETE /v1/watches/a..b', undefined, 400, 'invalid_name', 'domain'],
    ['GET /v1/watches?limit=0', undefined, 400, 'invalid_parameter', 'limit'],
    ['GET /v1/changes?limit=x', undefined, 400, 'invalid_parameter', 'limit'],
    ['GET /v1/changes?types=', undefined, 400, 'missing_parameter', 'types'],
    ['GET /v1/changes?types=nothing', undefined, 400, 'invalid_parameter', 'types'],
    ['GET /v1/changes?domain=a..b', undefined, 400, 'invalid_name', 'domain'],
    ['GET /v1/changes?naming=kebab', undefined, 400, 'invalid_naming', 'naming'],
    ['GET /v1/changes?after=x', undefined, 410, 'cursor_expired', 'after'],
    ['POST /v1/webhooks', {}, 400, 'missing_parameter', 'url'],
    ['POST /v1/webhooks', { url: 'http://10.0.0.1/' }, 400, 'invalid_parameter', 'url'],
    ['PATCH /v1/webhooks/wh_1', { rotate_secret: 1 }, 400, 'invalid_body', 'rotate_secret'],
    ['PATCH /v1/webhooks/wh_1', { url: 'https://a.example/' }, 400, 'invalid_parameter', 'url'],
    ['PATCH /v1/webhooks/wh_1', {}, 404, 'not_found', undefined],
    ['DELETE /v1/webhooks/wh_1', undefined, 404, 'not_found', undefined],
    ['POST /v1/webhooks/wh_1/test', undefined, 404, 'not_found', undefined],
    ['GET /v1/webhooks/wh_1', undefined, 405, 'method_not_allowed', undefined],
    ['GET /v1/watches/', undefined, 404, 'not_found', undefined],
  ])('rejects %s with %j', async (request, body, status, code, param) => {
    const customer = await watching.newCustomer();
    const rejected = await send(customer, request, body);
    expect(rejected.status).toEqual(status);
    expect(rejected.json.code).toEqual(code);
    expect(rejected.json.param).toEqual(param);
    if (code === 'cursor_expired')
      expect(rejected.json.oldest_cursor).toMatch(/^[0-9a-f]{10}-\d+$/);
    expect((await customer.balance()).used).toBe(0);
  });

  it.each([
    ['/v1/watches', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/watches/a.test', 'PUT, DELETE, OPTIONS'],
    ['/v1/changes', 'GET, HEAD, OPTIONS'],
    ['/v1/webhooks', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/webhooks/x', 'PATCH, DELETE, OPTIONS'],
    ['/v1/webhooks/x/test', 'POST, OPTIONS'],
    ['/v1/calendar.ics', 'GET, HEAD, OPTIONS'],
    ['/v1/feeds', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/feeds/x', 'DELETE, OPTIONS'],
  ])('names the methods of %s, and requires a key', async (path, allow) => {
    const { headers } = await watching.gateway.fetch(path, { method: 'OPTIONS' });
    expect(headers.get('allow')).toBe(allow);
    const [method = ''] = allow.split(', ');
    expect((await watching.gateway.fetch(path, { method })).status).toBe(401);
  });

  it('returns changes with a cursor', async () => {
    const customer = await watching.newCustomer();
    await send(customer, 'POST /v1/watches', { domains: ['c.example', 'd.example'] });
    for (const type of ['REGISTRAR', 'AVAILABLE', 'EXPIRY'] as const)
      await watching.change(type === 'AVAILABLE' ? 'd.example' : 'c.example', type);
    const changes = async (query = '') => (await send(customer, `GET /v1/changes?${query}`)).json;
    const page = await changes('limit=2');
    expect(page.changes.map(({ type, domain }: Json) => [type, domain])).toEqual([
      ['registrar', 'c.example'],
      ['available', 'd.example'],
    ]);
    expect([page.next, page.has_more]).toEqual([page.changes[1].id, true]);
    expect(page.changes[0]).toMatchObject({
      after: { verdict: 'registered', expires_at: '2028-01-01T00:00:00Z' },
      evidence: null,
    });
    const last = await changes(`after=${page.next}&types=expiry,Phase&domain=C.EXAMPLE`);
    expect([last.changes.length, last.has_more]).toEqual([1, false]);
    expect(await changes(`after=${last.next}`)).toEqual({
      changes: [],
      next: last.next,
      has_more: false,
    });
  });

  it('manages webhooks, whose secret is returned once', async () => {
    const [customer, other] = [await watching.newCustomer(), await watching.newCustomer()];
    const url = 'https://hook.example/';
    const created = await send(customer, 'POST /v1/webhooks', { url, types: ['available'] });
    const { secret, ...webhook } = created.json;
    expect(created.status).toBe(201);
    expect(secret).toMatch(/^whsec_/);
    expect(webhook.types).toEqual(['available']);
    expect((await send(customer, 'GET /v1/webhooks')).json).toEqual({ webhooks: [webhook] });
    const path = `/v1/webhooks/${webhook.id}`;
    const all = await send(customer, `PATCH ${path}`, { types: [] });
    expect(all.json).toEqual({ ...webhook, types: [] });
    const rotated = await send(customer, `PATCH ${path}`, { rotate_secret: true });
    expect(rotated.json.secret).not.toBe(secret);
    expect((await send(customer, `POST ${path}/test`)).json).toMatchObject({ delivered: false });
    expect((await send(other, `PATCH ${path}`, {})).status).toBe(404);
    expect((await send(other, `POST ${path}/test`)).status).toBe(404);
    expect((await send(other, `DELETE ${path}`)).status).toBe(404);
    expect((await send(customer, `DELETE ${path}`)).status).toBe(204);
    expect((await send(customer, 'GET /v1/webhooks')).json.webhooks).toEqual([]);
  });

  it('streams changes, and goes on after the last event', async () => {
    const customer = await watching.newCustomer();
    await send(customer, 'PUT /v1/watches/e.example');
    const live = await watching.events(customer, '/v1/changes?types=phase,dnssec');
    await watching.change('e.example', 'EXPIRY');
    await watching.change('e.example', 'PHASE');
    const first = await live.next();
    expect(first).toMatchObject({ type: 'phase', domain: 'e.example' });
    await live.close();
    await watching.change('e.example', 'DNSSEC');
    const { changes } = (await send(customer, 'GET /v1/changes')).json;
    const resume = { 'last-event-id': first.id };
    const path = `/v1/changes?after=${changes[0].id}`;
    const resumed = await watching.events(customer, path, undefined, resume);
    expect(await resumed.next()).toEqual(changes[2]);
    await resumed.close();
    const accept = { accept: 'text/event-stream' };
    const raw = await customer.fetch(path, { headers: accept });
    const { value } = (await raw.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value).split('\n\n')[0]).toBe(
      `id: ${first.id}\ndata: ${JSON.stringify(first)}`,
    );
    const expired = { ...accept, 'last-event-id': 'x' };
    const refused = await send(customer, 'GET /v1/changes?after=y', undefined, expired);
    expect([refused.status, refused.json.param]).toEqual([410, 'Last-Event-ID']);
    expect((await send(customer, 'HEAD /v1/changes', undefined, accept)).status).toBe(200);
  });

  it('starts Atom feeds with the oldest change, and has those of several pages', async () => {
    const customer = await watching.newCustomer();
    await send(customer, 'POST /v1/watches', { domains: ['g.example'] });
    await watching.change('g.example', 'EXPIRY');
    for (let count = 0; count < 101; count++) await watching.change('g.example', 'DNSSEC');
    const accept = { accept: 'application/atom+xml' };
    const titles = async (path: string) =>
      (await send(customer, `GET ${path}`, undefined, accept)).text.match(/(?<=: )[a-z]+(?=<)/g);
    const all = (await titles('/v1/changes')) ?? [];
    expect([all.length, all[0], all.at(-1)]).toEqual([102, 'expiry', 'dnssec']);
    expect(await titles('/v1/changes?limit=2')).toEqual(['expiry', 'dnssec']);
  });

  it('has the dates of deleted names in the calendar', async () => {
    const customer = await watching.newCustomer();
    const domains = ['taken.test', 'redemption.test', 'pending.test', 'free.test'];
    await send(customer, 'POST /v1/watches', { domains });
    const events = async () => {
      const { text } = await send(customer, 'GET /v1/calendar.ics');
      return text
        .split('BEGIN:VEVENT')
        .slice(1)
        .map((event) => {
          const [, id, first = '', end] =
            /UID:(.*)@[^]*DTSTART;VALUE=DATE:(\d+)(?:\r\nDTEND;VALUE=DATE:(\d+))?/.exec(event) ??
            [];
          return [id, end === undefined ? 1 : dayOf(end) - dayOf(first)];
        });
    };

    await expect.poll(events).toEqual([
      ['expiry-pending.test', 1],
      ['drop-pending.test', 6],
      ['expiry-redemption.test', 1],
      ['redemption-end-redemption.test', 31],
      ['drop-redemption.test', 31],
      ['expiry-taken.test', 1],
    ]);
  });

  it('serves feeds with a token until it is revoked', async () => {
    const [customer, other] = [await watching.newCustomer(), await watching.newCustomer()];
    const label = 'a,b;ü'.repeat(20);
    await send(customer, 'POST /v1/watches', { domains: ['f.example', 'taken.test'], label });
    await watching.change('f.example', 'REGISTRAR');
    // A path that takes no body ignores one.
    const { status, json: feed } = await send(customer, 'POST /v1/feeds', 'null');
    expect([status, Object.keys(feed)]).toEqual([201, ['id', 'atom', 'calendar']]);
    const { feeds } = (await send(customer, 'GET /v1/feeds')).json;
    expect(feeds).toEqual([{ id: feed.id, created_at: expect.stringMatching(/Z$/) }]);
    expect((await send(other, 'GET /v1/feeds')).json.feeds).toEqual([]);
    const [, type, atom] = await read(feed.atom);
    expect(type).toBe('application/atom+xml; charset=utf-8');
    expect(atom.match(/<entry>/g)).toEqual(['<entry>']);
    expect(atom).toContain('<title>f.example: registrar</title>');
    const accept = { accept: 'application/atom+xml' };
    expect((await send(customer, 'GET /v1/changes', undefined, accept)).text).toBe(atom);
    await expect.poll(async () => (await read(feed.calendar))[2]).toContain('BEGIN:VEVENT');
    const [, calendarType, calendar] = await read(feed.calendar);
    expect(calendarType).toBe('text/calendar; charset=utf-8');
    expect(calendar.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    const lines = calendar.replaceAll('\r\n ', '').split('\r\n');
    expect(lines).toContain('SUMMARY:taken.test expires');
    expect(lines).toContain(`CATEGORIES:${'a\\,b\\;ü'.repeat(20)}`);
    expect(lines.filter((line) => /^DTSTART;VALUE=DATE:\d{8}$/.test(line))).toHaveLength(1);
    const elsewhere = feed.atom.replace('/changes', '/watches');
    expect((await fetch(elsewhere)).status).toBe(401);
    expect((await send(other, `DELETE /v1/feeds/${feed.id}`)).status).toBe(404);
    expect((await send(customer, `DELETE /v1/feeds/${feed.id}`)).status).toBe(204);
    expect((await read(feed.atom))[0]).toBe(404);
    expect((await read(feed.calendar))[0]).toBe(404);
  });
});
