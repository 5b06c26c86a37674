import { describe, expect, it } from 'vitest';
import type { DomainOverrides } from '../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { html, notFound, registered } from '../support/bodies/replies.ts';

const day = 24 * 60 * 60 * 1000;
const clock = manualClock();
const inDays = (days: number) => new Date(clock.now() + days * day).toISOString();

/** Registrations as returned by the registry, and their phase. */
const registrations: readonly (readonly [
  what: string,
  overrides: DomainOverrides,
  phase: string | null,
])[] = [
  ['expires in years', { expiresAt: inDays(900) }, 'ACTIVE'],
  ['expires in 31 days', { expiresAt: inDays(31) }, 'ACTIVE'],
  ['expires in 30 days', { expiresAt: inDays(30) }, 'EXPIRING'],
  ['expires within the hour', { expiresAt: inDays(0.01) }, 'EXPIRING'],
  ['has expired', { expiresAt: inDays(-1) }, 'EXPIRED'],
  ['has no expiry date', { members: { events: [] } }, 'ACTIVE'],
  [
    'is in the auto-renew grace period',
    { expiresAt: inDays(360), statuses: ['auto renew period', 'active'] },
    'EXPIRED',
  ],
  [
    'has the EPP status autoRenewPeriod',
    { expiresAt: inDays(360), statuses: ['autoRenewPeriod'] },
    'EXPIRED',
  ],
  ['is on client hold', { statuses: ['client hold'] }, 'ON_HOLD'],
  ['is on server hold', { statuses: ['active', 'serverHold'] }, 'ON_HOLD'],
  ['is on hold and expires soon', { statuses: ['client hold'], expiresAt: inDays(3) }, 'ON_HOLD'],
  ['is on hold and has expired', { statuses: ['client hold'], expiresAt: inDays(-3) }, 'EXPIRED'],
  ['is locked', { statuses: ['client transfer prohibited', 'server delete prohibited'] }, 'ACTIVE'],
  [
    'is in its redemption period',
    { statuses: ['redemption period', 'pending delete'], expiresAt: inDays(-40) },
    'REDEMPTION',
  ],
  ['is pending restore', { statuses: ['pending restore'] }, 'REDEMPTION'],
  ['is pending delete', { statuses: ['pending delete'], expiresAt: inDays(-70) }, 'PENDING_DELETE'],
  ['is reserved', { statuses: ['reserved'] }, null],
];

const registry = await forThisFile(startFakeRegistry);
registry.on('nic.example', registered('nic.example'));
for (const [index, [, overrides]] of registrations.entries())
  registry.on(`name${index}.example`, ({ name }) => registered(name, overrides));
const gateway = await forThisFile(startGateway, {
  clock,
  registries: { example: registry.baseUrl },
});

const rowOf = async (name: string): Promise<Json> =>
  (await gateway.graphql(`{ domain(name: "${name}") { phase cached } }`)).data.domain;

describe('the phase of a name', () => {
  it.each(
    registrations.map(([what, , phase], index) => ({ what, phase, name: `name${index}.example` })),
  )('is $phase if the name $what', async ({ name, phase }) => {
    expect((await rowOf(name)).phase).toBe(phase);
  });

  it.each([
    ['is unregistered', 'free.example', notFound()],
    ['has no trustworthy answer', 'unknown.example', html(404)],
  ])('is null if the name %s', async (_what, name, reply) => {
    registry.on(name, reply);
    expect((await rowOf(name)).phase).toBeNull();
  });

  it('is computed for the current time, also from a cached answer', async () => {
    registry.on('later.example', registered('later.example', { expiresAt: inDays(30.5) }));
    expect(await rowOf('later.example')).toEqual({ phase: 'ACTIVE', cached: false });
    clock.advance(0.6 * day);
    expect(await rowOf('later.example')).toEqual({ phase: 'EXPIRING', cached: true });
  });
});
