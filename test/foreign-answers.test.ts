import { expect, it } from 'vitest';
import { startFakeRegistry } from './support/fake-registry.ts';
import { startGateway } from './support/gateway.ts';
import { redirect, registered } from './support/replies.ts';

it('what somebody else finds after a redirect does not make the registry’s "not found" proof', async () => {
  await using registry = await startFakeRegistry();
  await using stranger = await startFakeRegistry();
  registry.on('held.ac.uk', redirect(stranger.url('domain/held.ac.uk')));
  stranger.on('held.ac.uk', registered('held.ac.uk'));
  await using gateway = await startGateway({ registries: { uk: registry.baseUrl, stranger: stranger.baseUrl } });
  const row = async (name: string) => (await gateway.get(`/v1/status?domain=${name}`)).results[0];
  expect((await row('held.ac.uk')).status).toBe('registered');
  expect(await row('free.ac.uk')).toMatchObject({ available: null, reason: 'untrusted_answer' });
});
