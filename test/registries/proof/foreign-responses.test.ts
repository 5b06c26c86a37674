import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { notFound, redirect, registered } from '../../support/bodies/replies.ts';

it('a name found by another host after a redirect does not make the registry’s 404s trusted', async () => {
  await using registry = await startFakeRegistry();
  await using other = await startFakeRegistry();
  registry.on('taken.ac.uk', redirect(other.url('domain/taken.ac.uk')));
  other.on('taken.ac.uk', registered('taken.ac.uk'));
  await using gateway = await startGateway({
    registries: { uk: registry.baseUrl, other: other.baseUrl },
  });
  const row = async (name: string) => (await gateway.get(`/v1/status?domain=${name}`)).results[0];
  expect((await row('taken.ac.uk')).status).toBe('registered');
  expect(await row('free.ac.uk')).toMatchObject({ available: null, reason: 'untrusted_answer' });
});

it.each([
  ['the lookup of the same name', '/v2/domain/new.aa', true],
  ['a login page', '/login?next=new.aa', null],
  ['the lookup of another name', '/domain/parked.aa', null],
  ['a query instead of a path', '/domain/?name=new.aa', null],
  ['an entity of that name', '/entity/new.aa', null],
])(
  'a 404 after a redirect within the registry is trusted only for the same name: %s',
  async (_case, to, available) => {
    await using registry = await startFakeRegistry();
    registry.on(
      (name, { url }) => name === 'new.aa' && !url.startsWith('/v2/'),
      ({ url }) => (url === to ? notFound() : redirect(to)),
    );
    registry.on((_name, { url }) => url === to, notFound());
    await using gateway = await startGateway({ registries: { aa: registry.baseUrl } });
    const [row] = (await gateway.get('/v1/status?domain=new.aa')).results;
    expect(row).toMatchObject({ available });
  },
);
