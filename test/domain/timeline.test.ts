import { describe, expect, it } from 'vitest';
import type { LifeCycle } from '../../src/domain/timeline.ts';
import { prices } from '../../src/execution/charging/prices.ts';
import facts from '../../src/registries/directory/lifecycles.json' with { type: 'json' };
import type { DomainOverrides } from '../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { html, notFound, registered } from '../support/bodies/replies.ts';

const dayMs = 24 * 60 * 60 * 1000;
const clock = manualClock();
const inDays = (days: number) => new Date(clock.now() + days * dayMs).toISOString();

const cycles = new Map<string, LifeCycle>(
  facts.cycles.flatMap(({ tlds, ...cycle }) =>
    tlds.flatMap((line) => line.split(' ')).map((tld) => [tld, cycle] as const),
  ),
);

/** The states of a registration: its statuses, and how many days before or after the answer it expires. */
const states: readonly (readonly [state: string, statuses: readonly string[], expiry?: number])[] =
  [
    ['expires in years', ['active'], 900],
    ['expires tomorrow', ['active'], 1],
    ['expired yesterday', ['active'], -1],
    ['expired 20 days ago', ['active'], -20],
    ['expired years ago', ['active'], -900],
    ['has no expiry', ['active']],
    ['was renewed automatically', ['auto renew period'], 360],
    ['was not yet deleted', ['auto renew period'], -10],
    ['was deleted after the expiry', ['redemption period', 'pending delete'], -50],
    ['was deleted on the last day', ['redemption period'], -75],
    ['was deleted before the expiry', ['redemption period'], 200],
    ['was deleted without an expiry', ['redemption period']],
    ['is being restored', ['pending restore', 'redemption period'], -50],
    ['is gone soon', ['pending delete'], -78],
    ['is gone soon, long after its expiry', ['pending delete'], -300],
    ['is gone soon, without an expiry', ['pending delete']],
  ];
const tlds = ['com', 'io', 'se', 'ca', 'no', 'pl', 'id', 'de', 'uk', 'fi'];

const registry = await forThisFile(startFakeRegistry);
registry.on(/^nic\./, ({ name }) => registered(name));
for (const tld of [...tlds, 'uk.com'])
  for (const [index, [, statuses, expiry]] of states.entries()) {
    const overrides: DomainOverrides = {
      statuses,
      ...(expiry === undefined ? { members: { events: [] } } : { expiresAt: inDays(expiry) }),
    };
    registry.on(`state${index}.${tld}`, ({ name }) => registered(name, overrides));
  }
const gateway = await forThisFile(startGateway, {
  clock,
  // The clock stands still, and with it the rate of requests.
  env: { RDAP_RATE: '0', RATE_LIMIT: '0' },
  registries: Object.fromEntries([...tlds, 'uk.com'].map((tld) => [tld, registry.baseUrl])),
});

const fields = 'timeline { event from to source certainty }';
async function timelineOf(name: string): Promise<Json> {
  const { data, errors } = await gateway.graphql(`{ domain(name: "${name}") { ${fields} } }`);
  expect(errors).toBeUndefined();
  return data.domain.timeline;
}

/** What a timeline has after the registry's dates: the event, and its days from the answer. */
type Expected = readonly [event: string, from: number | null, to: number | null, certainty: string];

/** Tries every day on which the registration may have been deleted, or may be. */
function expectedOf(
  cycle: LifeCycle | undefined,
  statuses: readonly string[],
  expiry: number | undefined,
): readonly Expected[] {
  const has = (status: string) => statuses.includes(status);
  const isRedeemed = has('redemption period');
  const isPending = has('pending delete') && !isRedeemed;
  const isRenewed = has('auto renew period');
  const { grace = 0, redemption = 0, pendingDelete = 0, release } = cycle ?? {};

  const allows = (deleted: number) => {
    if (has('pending restore')) return false;
    if (isRedeemed) return redemption > 0 && deleted <= 0 && deleted + redemption >= 0;
    if (isPending) {
      const gone = deleted + (release ?? NaN);
      return pendingDelete > 0 && gone >= 0 && gone - pendingDelete <= 0;
    }
    if (isRenewed) return deleted >= 0 && deleted <= grace && grace > 0;
    return deleted + (pendingDelete > 0 ? 0 : (release ?? redemption)) >= 0;
  };
  const days = Array.from({ length: 3000 }, (_each, index) => index - 1500).filter(allows);
  const [first = NaN, last = NaN] = (cycle?.deletion ?? []).map((day) => day + (expiry ?? NaN));
  const documented = days.filter((day) => day >= first && day <= last);
  const isStated = isRedeemed || isPending || isRenewed;
  const deletions = documented.length > 0 ? documented : isStated ? days : [];

  const [early, late] = [deletions[0], deletions.at(-1)];
  const phase = (event: string, isHere: boolean, length: number, end: number | undefined) => {
    if (isHere) return [[event, null, null, 'REGISTRY'] as const];
    if (early === undefined || late === undefined || length <= 0 || end === undefined) return [];
    return [[event, early + end - length, late + end, 'ESTIMATE'] as const];
  };

  const graceEnd = Math.min((expiry ?? NaN) + grace, isStated ? (late ?? -Infinity) : Infinity);
  const hasGrace =
    grace > 0 && expiry !== undefined && (isStated ? graceEnd > expiry : graceEnd >= 0);
  const certainty = cycle?.isRule && !isStated ? 'RULE' : 'ESTIMATE';
  return [
    ...(isRenewed
      ? [['GRACE', null, null, 'REGISTRY'] as const]
      : hasGrace
        ? [['GRACE', expiry, graceEnd, certainty] as const]
        : []),
    ...phase('REDEMPTION', isRedeemed, redemption, redemption),
    ...phase('PENDING_DELETE', isPending, pendingDelete, release),
    ...(release === undefined || early === undefined || late === undefined
      ? []
      : [['MAY_BECOME_AVAILABLE', early + release, late + release, 'ESTIMATE'] as const]),
  ];
}

const date = (event: string, day: string) => {
  const from = new Date(day).toISOString();
  return { event, from, to: from, source: 'rdap', certainty: 'REGISTRY' };
};

describe('the timeline', () => {
  it.each(
    tlds.flatMap((tld) =>
      states.map(([state, statuses, expiry], index) => ({ tld, state, statuses, expiry, index })),
    ),
  )('of a name under .$tld that $state', async ({ tld, statuses, expiry, index }) => {
    const dates =
      expiry === undefined
        ? []
        : [
            date('REGISTERED', '2001-02-03T04:05:06Z'),
            date('CHANGED', '2024-05-06T07:08:09Z'),
            date('EXPIRES', inDays(expiry)),
          ];
    const cycle = cycles.get(tld);
    const phases = expectedOf(cycle, statuses, expiry).map(([event, from, to, certainty]) => ({
      event,
      from: from === null ? null : inDays(from),
      to: to === null ? null : inDays(to),
      source: certainty === 'REGISTRY' ? 'rdap' : cycle?.source,
      certainty,
    }));
    expect(await timelineOf(`state${index}.${tld}`)).toEqual([...dates, ...phases]);
  });

  it('has no periods of .com for names under a suffix that another registry operates', async () => {
    const entries: readonly Json[] = await timelineOf('state0.uk.com');
    expect(entries.map(({ event }) => event)).toEqual(['REGISTERED', 'CHANGED', 'EXPIRES']);
  });

  it.each([
    ['9999-12-31T23:59:59Z', 'EXPIRES'],
    ['9998-12-31T23:59:59Z', 'EXPIRES'],
    ['2090-01-01T00:00:00Z', 'MAY_BECOME_AVAILABLE'],
  ])('does not count from %s if that means never', async (expiresAt, last) => {
    const name = `year${expiresAt.slice(0, 4)}.com`;
    registry.on(name, () => registered(name, { expiresAt }));
    expect((await timelineOf(name)).at(-1).event).toBe(last);
  });

  it.each([
    ['is unregistered', 'free.com', notFound()],
    ['has no trustworthy answer', 'unknown.com', html(404)],
    ['is reserved', 'kept.com', registered('kept.com', { statuses: ['reserved'] })],
  ])('is null if the name %s', async (_what, name, reply) => {
    registry.on(name, reply);
    expect(await timelineOf(name)).toBeNull();
  });

  it('is counted from the answer, also from a cached one', async () => {
    registry.on('cached.com', () => registered('cached.com', { statuses: ['pending delete'] }));
    const first = await timelineOf('cached.com');
    clock.advance(60_000);
    expect(await timelineOf('cached.com')).toEqual(first);
    clock.advance(-60_000);
  });

  it('says that a record is from WHOIS', async () => {
    const sources = (await timelineOf('nic.whois-only.test')).map(({ source }: Json) => source);
    expect(new Set(sources.slice(0, 2))).toEqual(new Set(['whois']));
  });

  it('costs what a record costs', async () => {
    await using metered = await startMeteredGateway();
    const customer = await metered.newCustomer();
    const response = await customer.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ domain(name: "taken.example") { ${fields} } }` }),
    });
    expect(response.headers.get('x-credits-charged')).toBe(String(prices.record(1)));
  });
});

describe('timeline=true', () => {
  it.each([
    ['taken', []],
    ['redemption', ['redemption']],
    ['pending', ['pending_delete']],
  ])('shows all phases of %s.test', async (label, stated) => {
    const { timeline } = await gateway.get(`/v1/rdap?domain=${label}.test&timeline=true`);
    expect(timeline.map(({ event }: Json) => event)).toEqual(
      'registered changed expires grace redemption pending_delete may_become_available'.split(' '),
    );
    const here = timeline.filter(({ from }: Json) => from === null);
    expect(here.map(({ event }: Json) => event)).toEqual(stated);
    expect(timeline.at(-1).certainty).toBe('estimate');
    expect(Date.parse(timeline.at(-1).to)).toBeGreaterThan(clock.now());
  });

  it('is null for an unregistered name, and absent without the parameter', async () => {
    const body = await gateway.get('/v1/rdap?domain=free.test&timeline=true');
    expect(body).toHaveProperty('timeline', null);
    expect(await gateway.get('/v1/rdap?domain=taken.test')).not.toHaveProperty('timeline');
  });

  it.each(['timeline=maybe', 'timeline=true&query=192.0.2.1'])('rejects %s', async (query) => {
    const domain = query.includes('query') ? '' : '&domain=taken.test';
    expect(await gateway.get(`/v1/rdap?${query}${domain}`)).toMatchObject({
      code: 'invalid_parameter',
      param: 'timeline',
    });
  });
});
