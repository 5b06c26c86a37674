import { beforeEach, describe, expect, it } from 'vitest';
import { csvColumns } from '../../../src/shared/csv.ts';
import { parseCsv } from '../../support/requests/csv.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import { html, notFound, registered } from '../../support/bodies/replies.ts';
import { paused } from '../../support/bodies/scripts.ts';

let customer: Customer;

const metered = await forThisFile(startMeteredGateway);
metered.registry.on(/^taken/, ({ name }) => registered(name));
metered.registry.on(/^html/, html(404));

beforeEach(async () => {
  customer = await metered.newCustomer();
});

const columns = csvColumns.join();
const contentType = 'text/csv; charset=utf-8; header=present';
const csv = { accept: 'text/csv' };
const status = '/v1/status?domain=taken.example,free.example,html.example,a%20b';
const bulk = '/v1/status/bulk';
const domains = ['taken.example', 'free.example', 'html.example', 'a b', 'TAKEN.example'];

const get = (path: string, headers: Record<string, string> = csv) =>
  customer.fetch(path, { headers });

const calls = [
  ['GET /v1/status', (headers: Record<string, string>) => get(status, headers)],
  [
    'POST /v1/status/bulk',
    (headers: Record<string, string>) => customer.post(bulk, { domains }, headers),
  ],
] as const;

describe.each(calls)('the CSV of %s', (_call, send) => {
  it('has a line of column names, and the fields of the JSON results', async () => {
    const { results }: Json = await (await send({})).json();
    expect(columns.split(',')).toEqual(expect.arrayContaining(results.flatMap(Object.keys)));
    const response = await send(csv);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
    const text = await response.text();
    expect(text.split('\r\n')[0]).toBe(columns);
    const rows = parseCsv(text).toSorted((a, b) => Number(a['index']) - Number(b['index']));
    expect(rows.map(withoutTimes)).toEqual(results.map(cellsOf).map(withoutTimes));
  });

  it.each([
    ['text/csv', contentType],
    ['Text/CSV; charset=utf-8; header=present', contentType],
    ['text/*', contentType],
    ['text/csv, application/json', contentType],
    ['text/csv;q=0.8, application/json;q=0.7', contentType],
    ['application/json, text/csv', 'application/json; charset=utf-8'],
    ['text/csv;q=0.5, application/json', 'application/json; charset=utf-8'],
    ['text/csv;q=0', 'application/json; charset=utf-8'],
    ['text/html, */*;q=0.8', 'application/json; charset=utf-8'],
    ['image/png', 'application/json; charset=utf-8'],
  ])('is sent to clients that prefer it: %s', async (accept, mediaType) => {
    const response = await send({ accept });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, mediaType]);
    expect(response.headers.get('vary')).toMatch(/\bAccept\b/);
  });

  it('has the same columns with `Service-Naming: snake`', async () => {
    const text = await (await send({ ...csv, 'service-naming': 'snake' })).text();
    expect(text.split('\r\n')[0]).toBe(columns);
  });

  it('is replaced by a problem if the request is invalid', async () => {
    const response = await send({ ...csv, 'service-naming': 'camel' });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'invalid_naming' });
  });
});

it.each(['=1+1', '+1', '-1', '@SUM(1)', '=HYPERLINK("https://x.example","x")'])(
  'keeps a spreadsheet from calculating the input %j',
  async (input) => {
    const responses = [
      await customer.post(bulk, { domains: [input] }, csv),
      await get(`/v1/status?${new URLSearchParams({ 'domain[]': input })}`),
    ];
    for (const response of responses)
      for (const row of parseCsv(await response.text()))
        for (const cell of [row['input'], row['domain']]) expect(cell).toMatch(/^[^=+\-@]/);
  },
);

describe('the CSV of GET /v1/status', () => {
  it('has an ETag of its own, which does not depend on times', async () => {
    const [json, first] = [await get(status, {}), await get(status)];
    const [tag, jsonTag] = [first, json].map((response) => response.headers.get('etag') ?? '');
    expect(tag).toMatch(/^W\//);
    expect(tag).not.toBe(jsonTag);
    expect((await get(`${status}&max_age=0`)).headers.get('etag')).toBe(tag);
    const withTag = { ...csv, 'if-none-match': tag ?? '' };
    expect((await get(status, withTag)).status).toBe(304);
    expect((await get(status, { 'if-none-match': tag ?? '' })).status).toBe(200);
    expect((await get(status, { ...csv, 'if-none-match': jsonTag ?? '' })).status).toBe(200);
  });

  it('has the same headers as JSON, and answers HEAD', async () => {
    await get(status, {});
    expect(namesOf(await get(status))).toEqual(namesOf(await get(status, {})));
    const head = await customer.fetch(status, { method: 'HEAD', headers: csv });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toEqual(contentType);
    expect(await head.text()).toBe('');
  });
});

describe('the CSV of POST /v1/status/bulk', () => {
  it('contains the rows as they arrive, and ends with the last one', async () => {
    const slow = paused(notFound());
    metered.registry.on('slow.example', slow);
    const names = ['slow.example', 'free.example', 'Slow.example'];
    const response = await customer.post(bulk, { domains: names }, csv);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('\r\n1,free.example,')) text += (await reader?.read())?.value ?? '';
    slow.release();
    for (let part = await reader?.read(); part?.value; part = await reader?.read())
      text += part.value;
    expect(parseCsv(text).map(({ index, input }) => [index, input])).toEqual([
      ['1', 'free.example'],
      ['0', 'slow.example'],
      ['2', 'Slow.example'],
    ]);
  });

  it('is charged for the rows with a verdict when it ends', async () => {
    const names = [
      'taken.example',
      ...Array.from({ length: 9 }, (_, index) => `html${index}.example`),
    ];
    const response = await customer.post(bulk, { domains: names }, csv);
    expect(response.headers.get('x-credits-requested')).toBe('6');
    await response.text();
    expect((await customer.balance()).used).toBe(1);
  });
});

const namesOf = (response: Response) => Array.from(response.headers.keys());

/** Returns the cells of a JSON result. */
function cellsOf(result: Json): Record<string, string> {
  return Object.fromEntries(columns.split(',').map((name) => [name, String(result[name] ?? '')]));
}

function withoutTimes({ cached: _1, checked_at: _2, latency_ms: _3, ...row }: Json): Json {
  return row;
}
