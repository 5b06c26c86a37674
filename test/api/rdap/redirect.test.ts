import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

const metered = await forThisFile(startMeteredGateway, { env: { RDAP_RELAY: 'redirect' } });
metered.registry.on(/^taken/, ({ name }) => registered(name));
const customer = await metered.newCustomer();

const get = (path: string) => customer.fetch(path, { redirect: 'manual' });

describe('RDAP_RELAY=redirect', () => {
  it('redirects to the lookup at the registry, without a request or a charge', async () => {
    const response = await get('/rdap/domain/Taken.example');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(
      `${metered.registry.baseUrl}domain/taken.example`,
    );
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.text()).toBe('');
    expect(metered.registry.requestCount('taken.example')).toBe(0);
    expect(await customer.balance()).toMatchObject({ used: 0 });
  });

  it('leads a client to the object', async () => {
    const response = await customer.fetch('/rdap/domain/taken.example');
    expect(await response.json()).toMatchObject({ ldhName: 'taken.example' });
  });

  it('relays objects of the sandbox', async () => {
    const response = await get('/rdap/domain/taken.test');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(expect.objectContaining({ ldhName: 'taken.test' }));
  });

  it.each([
    ['invalid name', 'www.taken.example', 400],
    ['TLD that does not exist', 'a.no-such-tld', 400],
    ['TLD without an RDAP server', 'a.lt', 501],
  ])('is an error for an %s', async (_what, name, status) => {
    const response = await get(`/rdap/domain/${name}`);
    expect(response.status).toEqual(status);
    expect(await response.json()).toEqual(expect.objectContaining({ errorCode: status }));
  });

  it('needs a key', async () => {
    const response = await metered.gateway.fetch('/rdap/domain/taken.example', {
      redirect: 'manual',
    });
    expect(response.status).toBe(401);
  });
});
