import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { startFakeDnsServer, type FakeDnsAnswer } from '../../support/servers/fake-dns-server.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { dnsSource, maxUnverified, resultOf } from './fixtures.ts';

const minute = 60_000;
const hour = 60 * minute;
const confirmed = { verifyZone: true };

/** A zone whose answers can be changed; `random` is for names that are not listed. */
async function startZone(samples: readonly string[] = []) {
  const answers: Record<string, FakeDnsAnswer> = { 'taken.aa': 'delegated', 'free.aa': 'nxdomain' };
  const zone = { answers, random: 'nxdomain' as FakeDnsAnswer };
  const dns = await startFakeDnsServer((name) => answers[name] ?? zone.random);
  const clock = frozenClock();
  const { lookUp } = dnsSource([dns], {
    clock,
    samplesOf: () => samples.map((name) => parseDomainName(name)),
  });
  return {
    dns,
    zone,
    clock,
    resultOf: async (...lookup: Parameters<typeof lookUp>) => resultOf(await lookUp(...lookup)),
    randomLabels: () =>
      dns.queries.map(({ name }) => name).filter((name) => /^[a-z]{24}\.aa$/.test(name)),
    [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose](),
  };
}

const wildNames = Array.from({ length: 30 }, (_, index) => `wild${index}.aa`);

/** A zone that delegates names that do not exist, and gives no answer about those of controls. */
async function startLosing(isProven: boolean) {
  const zone = await startZone();
  if (isProven) expect(await zone.resultOf('taken.aa')).toBe('REGISTERED');
  for (const name of wildNames) zone.zone.answers[name] = 'delegated';
  zone.zone.random = 'servfail';
  const wild = (count: number) =>
    Promise.all(wildNames.slice(0, count).map((name) => zone.resultOf(name)));
  return { ...zone, wild };
}

describe('the control with a random name', () => {
  it('is sent once per zone and hour, with another label each time', async () => {
    await using zone = await startZone();
    await Promise.all(['a.aa', 'b.aa', 'taken.aa'].map((name) => zone.resultOf(name)));
    zone.clock.advance(hour - 1);
    await zone.resultOf('c.aa');
    expect(zone.randomLabels()).toHaveLength(1);
    zone.clock.advance(1);
    await zone.resultOf('d.aa');
    expect(new Set(zone.randomLabels()).size).toBe(2);
  });

  it('prevents the use of a zone until a later control passes', async () => {
    await using zone = await startZone();
    zone.zone.random = 'delegated';
    expect(await zone.resultOf('taken.aa')).toBe('registry_error');
    zone.zone.random = 'servfail';
    zone.clock.advance(hour);
    expect(await zone.resultOf('taken.aa')).toBe('registry_error');
    zone.zone.random = 'nxdomain';
    expect(await zone.resultOf('taken.aa')).toBe('registry_error');
    zone.clock.advance(hour);
    expect(await zone.resultOf('taken.aa')).toBe('REGISTERED');
  });

  it('remains valid if the next one gets no answer', async () => {
    await using zone = await startZone();
    zone.zone.answers['nodata.aa'] = 'nodata';
    expect(await zone.resultOf('nodata.aa')).toBe('has_records');
    zone.zone.random = 'servfail';
    zone.clock.advance(hour);
    expect(await zone.resultOf('nodata.aa')).toBe('has_records');
  });

  it('does not show that names without records are absent if the next one gets no answer', async () => {
    await using zone = await startZone();
    zone.zone.answers['nodata.aa'] = 'nodata';
    zone.zone.random = 'nodata';
    expect(await zone.resultOf('nodata.aa')).toBe('absent');
    zone.zone.random = 'servfail';
    zone.clock.advance(hour);
    expect(await zone.resultOf('nodata.aa')).toBe('registry_error');
  });
});

describe('a zone that begins to delegate every name', () => {
  it.each([
    ['before the first control', false, 0, 0],
    ['an hour after a control', true, hour, 0],
    ['until a control is due', true, 0, maxUnverified - 1],
  ])('proves nothing while controls are lost, %s', async (_, isProven, elapsed, maxProven) => {
    await using zone = await startLosing(isProven);
    zone.clock.advance(elapsed);
    const results = [...(await zone.wild(30)), ...(await zone.wild(30))];
    const others = results.filter((result) => result !== 'REGISTERED');
    expect(others).toEqual(Array(results.length - maxProven).fill('unverified'));
  });

  it('is believed again as soon as a control passes', async () => {
    await using zone = await startLosing(false);
    expect(await zone.wild(2)).toEqual(['unverified', 'unverified']);
    zone.zone.random = 'nxdomain';
    expect(await zone.resultOf('taken.aa')).toBe('unverified');
    zone.clock.advance(1000);
    expect(await zone.resultOf('taken.aa')).toBe('REGISTERED');
  });

  it('is asked for a random name once a second while controls are lost', async () => {
    await using zone = await startLosing(true);
    zone.clock.advance(hour);
    const labels = () => new Set(zone.randomLabels()).size;
    const before = labels();
    await zone.wild(30);
    await zone.wild(30);
    expect(labels() - before).toBe(1);
    zone.clock.advance(1000);
    await zone.wild(30);
    expect(labels() - before).toBe(2);
  });

  it('does not confirm absences once it delegates none', async () => {
    await using zone = await startLosing(false);
    await zone.wild(1);
    zone.zone.random = 'nxdomain';
    expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
  });
});

describe('the absence of a delegation', () => {
  it('is not confirmed without a delegated name', async () => {
    await using zone = await startZone();
    expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
    expect(await zone.resultOf('free.aa')).toBe('absent');
  });

  it.each(['nxdomain', 'nodata', 'servfail', 'cname'] as const)(
    'is not confirmed if the sample names are not delegated (%s)',
    async (answer) => {
      await using zone = await startZone(['first.aa', 'second.aa']);
      zone.zone.answers['first.aa'] = answer;
      zone.zone.answers['second.aa'] = answer;
      expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
    },
  );

  it('is confirmed for an hour by a sample name that is delegated', async () => {
    await using zone = await startZone(['elsewhere.bb', 'first.aa', 'taken.aa']);
    expect(await zone.resultOf('free.aa', confirmed)).toBe('absent');
    zone.clock.advance(hour - 1);
    expect(await zone.resultOf('other.aa', confirmed)).toBe('absent');
    expect(zone.dns.queryCount('taken.aa')).toBe(1);
    expect(zone.dns.queryCount('elsewhere.bb')).toBe(0);
    zone.zone.answers['taken.aa'] = 'nxdomain';
    zone.clock.advance(1);
    expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
  });

  it('is confirmed by any name that was found to be delegated', async () => {
    await using zone = await startZone();
    expect(await zone.resultOf('taken.aa')).toBe('REGISTERED');
    expect(await zone.resultOf('free.aa', confirmed)).toBe('absent');
    zone.clock.advance(hour);
    expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
  });

  it('is not confirmed by a server that delegates everything', async () => {
    await using zone = await startZone(['taken.aa']);
    zone.zone.random = 'delegated';
    expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
    zone.zone.random = 'nxdomain';
    zone.zone.answers['taken.aa'] = 'nxdomain';
    zone.clock.advance(10 * minute);
    expect(await zone.resultOf('free.aa', confirmed)).toBe('registry_error');
    zone.zone.answers['taken.aa'] = 'delegated';
    zone.clock.advance(minute);
    expect(await zone.resultOf('free.aa', confirmed)).toBe('absent');
  });
});
