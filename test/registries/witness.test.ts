import { expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/domain-name.ts';
import { createWitness } from '../../src/registries/witness.ts';
import { manualClock } from '../support/manual-clock.ts';
import { settled } from '../support/open-lane.ts';

it('what became of a canary is written before anybody is told, as others look but once an hour', async () => {
  const written = Promise.withResolvers<void>();
  const notebook = { read: async () => undefined, write: () => written.promise };
  const witness = createWitness(manualClock(), () => true, undefined, notebook);
  let isTold = false;
  const told = Promise.resolve(
    witness.refresh(
      () => [parseDomainName('nic.example')],
      async () => 'found',
    ),
  ).then(() => (isTold = true));
  await settled();
  expect([witness.sightings.seen, isTold]).toEqual([true, false]);
  written.resolve();
  expect(await told).toBe(true);
});
