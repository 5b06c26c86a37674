import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DomainOverrides } from '../support/domain-object.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { manualClock } from '../support/manual-clock.ts';
import { html, notFound, registered } from '../support/replies.ts';

const day = 24 * 60 * 60 * 1000;
const clock = manualClock();
const inDays = (days: number) => new Date(clock.now() + days * day).toISOString();

/** What the registry tells of a name, and where in its life that puts it. */
const lives: readonly (readonly [what: string, told: DomainOverrides, phase: string | null])[] = [
  ['ends in years', { expiresAt: inDays(900) }, 'ACTIVE'],
  ['ends in a little more than 30 days', { expiresAt: inDays(31) }, 'ACTIVE'],
  ['ends in 30 days', { expiresAt: inDays(30) }, 'EXPIRING'],
  ['ends within the hour', { expiresAt: inDays(0.01) }, 'EXPIRING'],
  ['has ended', { expiresAt: inDays(-1) }, 'EXPIRED'],
  ['ends when nobody says', { members: { events: [] } }, 'ACTIVE'],
  [
    'was renewed by the registry when it ended',
    { expiresAt: inDays(360), statuses: ['auto renew period', 'active'] },
    'EXPIRED',
  ],
  [
    'the same in the words of EPP',
    { expiresAt: inDays(360), statuses: ['autoRenewPeriod'] },
    'EXPIRED',
  ],
  ['is held by its registrar', { statuses: ['client hold'] }, 'ON_HOLD'],
  ['is held by its registry', { statuses: ['active', 'serverHold'] }, 'ON_HOLD'],
  ['is held and ends soon', { statuses: ['client hold'], expiresAt: inDays(3) }, 'ON_HOLD'],
  ['is held and has ended', { statuses: ['client hold'], expiresAt: inDays(-3) }, 'EXPIRED'],
  ['is locked', { statuses: ['client transfer prohibited', 'server delete prohibited'] }, 'ACTIVE'],
  [
    'may be had back',
    { statuses: ['redemption period', 'pending delete'], expiresAt: inDays(-40) },
    'REDEMPTION',
  ],
  ['is on its way back', { statuses: ['pending restore'] }, 'REDEMPTION'],
  ['is about to go', { statuses: ['pending delete'], expiresAt: inDays(-70) }, 'PENDING_DELETE'],
  ['is kept by the registry', { statuses: ['reserved'] }, null],
];

let registry: FakeRegistry;
let gateway: Gateway;
beforeAll(async () => {
  registry = await startFakeRegistry();
  registry.on('nic.example', registered('nic.example'));
  for (const [index, [, told]] of lives.entries())
    registry.on(`name${index}.example`, ({ name }) => registered(name, told));
  gateway = await startGateway({ clock, registries: { example: registry.baseUrl } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await registry.close();
});

const rowOf = async (name: string): Promise<Json> =>
  (await gateway.graphql(`{ domain(name: "${name}") { phase cached } }`)).data.domain;

describe('the phase of a name', () => {
  it.each(lives.map(([what, , phase], index) => ({ what, phase, name: `name${index}.example` })))(
    'that $what: $phase',
    async ({ name, phase }) => {
      expect((await rowOf(name)).phase).toBe(phase);
    },
  );

  it.each([
    ['nobody holds', 'free.example', notFound()],
    ['nobody trustworthy spoke of', 'unknown.example', html(404)],
  ])('that %s is null', async (_what, name, reply) => {
    registry.on(name, reply);
    expect((await rowOf(name)).phase).toBeNull();
  });

  it('is that of today, of a stored answer too', async () => {
    registry.on('later.example', registered('later.example', { expiresAt: inDays(30.5) }));
    expect(await rowOf('later.example')).toEqual({ phase: 'ACTIVE', cached: false });
    clock.advance(0.6 * day);
    expect(await rowOf('later.example')).toEqual({ phase: 'EXPIRING', cached: true });
  });
});
