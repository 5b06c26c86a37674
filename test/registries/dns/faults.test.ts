import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { problems } from '../../../src/domain/problems.ts';
import { dnsFaults, type DnsFault } from '../../support/bodies/dns-faults.ts';
import { startFakeDnsServer, type FakeDnsAnswer } from '../../support/servers/fake-dns-server.ts';
import { dnsSource, resultOf } from './fixtures.ts';

/** The faults must not depend on the speed of the machine, so only silence ends by a deadline. */
const deadlineMsOf = ({ result }: DnsFault) => (result === 'registry_timeout' ? 150 : 20_000);

const answerOf = (answer: FakeDnsAnswer) => (name: string) =>
  name === 'name.aa' ? answer : 'nxdomain';

describe('a lookup in the DNS', () => {
  it.each(Object.entries<DnsFault>(dnsFaults))('of a name answered with %s', async (_, fault) => {
    await using dns = await startFakeDnsServer(answerOf(fault.answer));
    const { source, lookUp } = dnsSource([dns]);
    const responseDeadline = systemClock.now() + deadlineMsOf(fault);
    const answer = await lookUp('name.aa', { responseDeadline });
    expect(resultOf(answer)).toBe(fault.result);
    expect(answer.data?.verdict).toBe(fault.result === 'REGISTERED' ? 'REGISTERED' : undefined);
    if (fault.result in problems) expect(answer.provenance.delegation).toBeUndefined();
    // The source still works.
    expect(resultOf(await lookUp('other.aa'))).toBe('absent');
    expect(source.isReachable).toBe(true);
  });

  it.each<[FakeDnsAnswer, FakeDnsAnswer, string]>([
    ['refused', 'delegated', 'REGISTERED'],
    ['silent', 'delegated', 'REGISTERED'],
    [dnsFaults['an upward referral'].answer, 'nxdomain', 'absent'],
    [dnsFaults['DS without NS'].answer, 'nxdomain', 'absent'],
    [dnsFaults['TCP reset'].answer, 'nodata', 'has_records'],
  ])('uses the second server if the first does not answer the query', async (bad, good, result) => {
    await using first = await startFakeDnsServer(answerOf(bad));
    await using second = await startFakeDnsServer(answerOf(good));
    const { lookUp } = dnsSource([first, second]);
    expect(resultOf(await lookUp('name.aa'))).toBe(result);
  });
});

describe('a server that treats all names alike', () => {
  /** How random labels are answered, how the name is answered, and the result. */
  const zones: readonly [string, FakeDnsAnswer, FakeDnsAnswer, string][] = [
    ['returns NXDOMAIN', 'nxdomain', 'delegated', 'REGISTERED'],
    ['returns NXDOMAIN', 'nxdomain', 'nodata', 'has_records'],
    ['returns NODATA', 'nodata', 'delegated', 'REGISTERED'],
    ['returns NODATA', 'nodata', 'nodata', 'absent'],
    ['returns NODATA', 'nodata', 'nxdomain', 'absent'],
    ['returns NODATA', 'nodata', 'cname', 'has_records'],
    ['delegates', 'delegated', 'delegated', 'registry_error'],
    ['delegates', 'delegated', 'nxdomain', 'registry_error'],
    ['serves', 'child', 'child', 'registry_error'],
    ['redirects', 'cname', 'delegated', 'registry_error'],
    ['redirects', 'cname', 'cname', 'registry_error'],
    [
      'invents addresses of',
      dnsFaults['an address instead of NS'].answer,
      'delegated',
      'registry_error',
    ],
    [
      'resolves',
      dnsFaults['an answer of a recursive resolver'].answer,
      'delegated',
      'registry_error',
    ],
    ['refuses', 'refused', 'delegated', 'unverified'],
    ['refuses', 'refused', 'nxdomain', 'absent'],
    ['refuses', 'refused', 'nodata', 'registry_error'],
    ['ignores', 'silent', 'delegated', 'unverified'],
  ];
  it.concurrent.each(zones)('that %s unknown names', async (_, random, known, result) => {
    await using dns = await startFakeDnsServer((name) => (name === 'name.aa' ? known : random));
    const { lookUp } = dnsSource([dns]);
    expect(resultOf(await lookUp('name.aa'))).toBe(result);
  });
});
