import { expect, it } from 'vitest';
import { generateKey } from '../../../src/accounts/api-key.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway, { env: { CORS_ORIGINS: '*' } });
metered.registry.on(/^taken/, ({ name }) => registered(name));
const customer = await metered.newCustomer();

const path = '/v1/status?domain=taken.example';
const bulk = '/v1/status/bulk';
const always = ['x-api-key', 'authorization', 'accept', 'service-naming'];

/** The names in `Vary`, in alphabetical order. */
const varyOf = ({ headers }: Response) => headers.get('vary')?.toLowerCase().split(', ').toSorted();

async function unchanged(): Promise<Response> {
  const etag = (await customer.fetch(path)).headers.get('etag') ?? '';
  return customer.fetch(path, { headers: { 'if-none-match': etag } });
}

const responses: readonly (readonly [
  status: number,
  what: string,
  request: () => Promise<Response>,
])[] = [
  [200, 'a status', () => customer.fetch(path)],
  [200, 'a record', () => customer.fetch('/v1/rdap?domain=taken.example')],
  [200, 'HEAD', () => customer.fetch(path, { method: 'HEAD' })],
  [200, 'a bulk call', () => customer.post(bulk, { domains: ['taken.example'] })],
  [
    200,
    'NDJSON',
    () => customer.post(bulk, { domains: ['taken.example'] }, { accept: 'application/x-ndjson' }),
  ],
  [304, 'a body that has not changed', unchanged],
  [400, 'a wrong parameter', () => customer.fetch('/v1/rdap?domain=a_b.example')],
  [401, 'no key', () => metered.gateway.fetch(path)],
  [
    401,
    'a wrong key',
    () => metered.gateway.fetch(path, { headers: { 'x-api-key': generateKey() } }),
  ],
  [402, 'no credits', async () => (await metered.newCustomer({ credits: 0 })).fetch(path)],
  [404, 'an unknown path', () => customer.fetch('/v1/nothing')],
  [404, 'the root of the API', () => customer.fetch('/v1')],
  [405, 'a wrong method', () => customer.fetch(path, { method: 'DELETE' })],
  [
    501,
    'a lookup that needs a setting',
    () => customer.fetch('/v1/certificates?domain=shop.example'),
  ],
  [502, 'a registry that fails', () => customer.fetch('/v1/rdap?domain=down.test')],
];

it.each(responses)(
  'Vary names the headers that carry the key and select the form of the body in a %i for %s',
  async (status, _what, request) => {
    const response = await request();
    await response.text();
    expect(response.status).toBe(status);
    expect(varyOf(response)).toEqual(always.toSorted());
  },
);

it('Vary names Origin for a key that is restricted to certain origins', async () => {
  const origin = 'https://app.example';
  const bound = await metered.newCustomer({ origins: [origin] });
  const expected = [...always, 'origin'].toSorted();
  expect(varyOf(await bound.fetch(path, { headers: { origin } }))).toEqual(expected);
  const rejected = await bound.fetch(path, { headers: { origin: 'https://other.example' } });
  expect([rejected.status, varyOf(rejected)]).toEqual([403, expected]);
});

it('Vary names Origin once if CORS_ORIGINS lists origins', async () => {
  await using gateway = await startGateway({ env: { CORS_ORIGINS: 'https://app.example' } });
  for (const target of [
    '/v1/status?domain=taken.test',
    '/v1/rdap',
    '/v1/certificates?domain=shop.example',
  ])
    expect(varyOf(await gateway.fetch(target))).toEqual([...always, 'origin'].toSorted());
});

it('Vary does not name the key on paths that read no key', async () => {
  for (const page of ['/', '/docs', '/openapi.json', '/health'])
    expect((await metered.gateway.fetch(page)).headers.get('vary') ?? '').not.toMatch(
      /key|authorization/i,
    );
});
