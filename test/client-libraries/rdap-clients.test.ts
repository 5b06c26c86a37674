import { lookup } from 'rdapper';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMeteredGateway, type MeteredGateway } from '../support/gateways/metered-gateway.ts';
import { registered, status } from '../support/bodies/replies.ts';

let metered: MeteredGateway;
let key: string;
beforeAll(async () => {
  metered = await startMeteredGateway();
  metered.registry.on(/^taken/, ({ name }) => registered(name));
  metered.registry.on(/^broken/, status(500));
  ({ key } = await metered.newCustomer());
});
afterAll(() => metered[Symbol.asyncDispose]());

/** Looks up a name with the gateway as the only server. */
function send(name: string, apiKey: string) {
  return lookup(name, {
    rdapOnly: true,
    customBootstrapData: {
      version: '1.0',
      publication: '2026-01-01T00:00:00Z',
      services: [[['example'], [`${metered.gateway.url}/rdap/`]]],
    },
    customFetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-api-key', apiKey);
      return fetch(input, { ...init, headers });
    },
  });
}

describe('rdapper', () => {
  it('reads the registration', async () => {
    const { ok, record } = await send('taken.example', key);
    expect(ok).toBe(true);
    expect(record).toMatchObject({
      domain: 'taken.example',
      isRegistered: true,
      registrar: { name: 'Fake Registrar', ianaId: '9999' },
      creationDate: expect.stringContaining('2001-02-03'),
    });
  });

  it('reads that a name is not registered', async () => {
    const { ok, record } = await send('free.example', key);
    expect([ok, record?.isRegistered]).toEqual([true, false]);
  });

  it.each([
    ['the registry fails', 'broken.example', undefined],
    ['the key is invalid', 'free.example', 'wrong'],
  ])('reports a failure if %s', async (_what, name, otherKey) => {
    const { ok, record } = await send(name, otherKey ?? key);
    expect([ok, record]).toEqual([false, undefined]);
  });
});
