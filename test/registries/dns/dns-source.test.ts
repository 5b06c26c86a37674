import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Source } from '../../../src/domain/source.ts';
import { throttledSource } from '../../../src/registries/throttled.ts';
import { createBackoffs } from '../../support/stores/backoffs.ts';
import { createDailyUsage } from '../../support/stores/daily-usage.ts';
import { HostQueues } from '../../../src/outbound/queues/host-queues.ts';
import {
  nsRecords,
  soaRecord,
  startFakeDnsServer,
  type FakeDnsAnswer,
  type FakeDnsQuery,
} from '../../support/servers/fake-dns-server.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { unlimited } from '../../support/stores/open-queue.ts';
import { dnsSource, resultOf } from './fixtures.ts';

const answersOf =
  (answers: Readonly<Record<string, FakeDnsAnswer>>) =>
  (name: string): FakeDnsAnswer =>
    answers[name] ?? 'nxdomain';
const distinct = (values: readonly unknown[]) => new Set(values).size;
const twoPerZone = ({ protocol }: URL) => ({
  ...unlimited,
  rate: protocol === 'dns:' ? 1 : 0,
  burst: 2,
});
const randomLabel = /^[a-z]{24}\./;

/** A server does not show such a delegation to a client that does not set the flag DE. */
const delegatedByDeleg = ({ name, packet, send }: FakeDnsQuery) => {
  const [opt] = packet.additionals ?? [];
  const record = { type: 'UNKNOWN_61440', name, ttl: 300, data: Buffer.from('00020000', 'hex') };
  if (opt?.type === 'OPT' && (opt.flags & 0x2000) !== 0) send({ authorities: [record as never] });
  else send({ flags: 1 << 10, authorities: [soaRecord('aa')] });
};

describe('the DNS source', () => {
  it('finds delegated names to be registered, and proves nothing for others', async () => {
    await using dns = await startFakeDnsServer(answersOf({ 'taken.aa': 'delegated' }));
    const { lookUp } = dnsSource([dns]);
    const before = systemClock.now();
    const taken = await lookUp('taken.aa');
    expect(taken).toMatchObject({
      data: { verdict: 'REGISTERED' },
      provenance: {
        endpoint: 'dns://aa/',
        delegation: 'delegated',
        evidence: { unproven: false },
        attempts: [{ source: 'dns', phase: 'exchange', code: 'delegated' }],
      },
    });
    expect(taken.provenance.checkedAt).toBeGreaterThanOrEqual(before);
    expect(await lookUp('free.aa')).toMatchObject({
      data: undefined,
      problem: { code: 'not_delegated' },
      provenance: { endpoint: 'dns://aa/', delegation: 'absent', attempts: [{ code: 'absent' }] },
    });
  });

  it('sends small queries without recursion that are hard to forge', async () => {
    const queries: FakeDnsQuery[] = [];
    await using dns = await startFakeDnsServer(() => (query) => {
      queries.push(query);
      query.send({ authorities: nsRecords('other.aa') });
    });
    const { lookUp } = dnsSource([dns]);
    const label = 'a'.repeat(30);
    for (let i = 0; i < 20; i += 1) await lookUp(`${label}${i}.aa`);
    const sent = queries.filter(({ name }) => name.startsWith(label));
    expect(sent).toHaveLength(20);
    expect(new Set(sent.map(({ type }) => type))).toEqual(new Set(['NS']));
    for (const { packet, spelledName } of sent) {
      expect(packet).toMatchObject({ flags: 0, additionals: [{ udpPayloadSize: 1232 }] });
      expect(spelledName).toMatch(/A/);
      expect(spelledName).toMatch(/a/);
    }
    expect(distinct(sent.map(({ packet }) => packet.id))).toBeGreaterThan(10);
    expect(distinct(sent.map(({ port }) => port))).toBeGreaterThan(10);
    expect(distinct(sent.map(({ spelledName }) => spelledName.slice(0, 30)))).toBe(20);
  });

  it('asks for delegations that only DELEG records make', async () => {
    await using dns = await startFakeDnsServer(answersOf({ 'taken.aa': delegatedByDeleg }));
    expect(resultOf(await dnsSource([dns]).lookUp('taken.aa'))).toBe('REGISTERED');
  });

  it('queries two servers twice before it gives up', async () => {
    await using first = await startFakeDnsServer(() => 'silent');
    await using second = await startFakeDnsServer(() => 'silent');
    const { lookUp } = dnsSource([first, second]);
    const responseDeadline = systemClock.now() + 400;
    const answer = await lookUp('name.aa', { responseDeadline });
    expect(resultOf(answer)).toBe('registry_timeout');
    expect(answer.provenance.failure).toBe('timeout');
    expect([first, second].map((server) => server.queryCount('name.aa'))).toEqual([2, 2]);
  });

  it('prefers servers that answer', async () => {
    await using lame = await startFakeDnsServer(() => 'refused');
    await using good = await startFakeDnsServer(() => 'delegated');
    const { lookUp } = dnsSource([lame, lame, lame, good]);
    await lookUp('first.aa');
    for (let i = 0; i < 20; i += 1) await lookUp(`name${i}.aa`);
    const later = lame.queries.filter(({ name }) => name.startsWith('name'));
    expect(later).toEqual([]);
  });

  it('tries other servers before those that failed', async () => {
    await using stack = new AsyncDisposableStack();
    const servers = [stack.use(await startFakeDnsServer())];
    for (let i = 0; i < 6; i += 1)
      servers.push(stack.use(await startFakeDnsServer(() => 'refused')));
    // The order is random, and a lookup tries four servers.
    for (let i = 0; i < 20; i += 1) {
      const { lookUp } = dnsSource(servers);
      await lookUp('first.aa');
      expect(resultOf(await lookUp('second.aa'))).toBe('absent');
    }
  });

  it('does not report a zone whose servers all refuse as down', async () => {
    await using dns = await startFakeDnsServer(() => 'refused');
    const { provenance } = await dnsSource([dns]).lookUp('name.aa');
    expect(provenance).toMatchObject({ attempts: [{ code: 'registry_error' }] });
    expect(provenance.failure).toBeUndefined();
  });

  it('ends when the caller disconnects', async () => {
    await using dns = await startFakeDnsServer(() => 'silent');
    const { lookUp } = dnsSource([dns]);
    const answer = await lookUp('name.aa', { signal: AbortSignal.timeout(20) });
    expect(resultOf(answer)).toBe('registry_timeout');
    expect(answer.provenance.failure).toBeUndefined();
  });

  it('sends nothing after the deadline', async () => {
    await using dns = await startFakeDnsServer();
    const { lookUp } = dnsSource([dns]);
    const answer = await lookUp('name.aa', { responseDeadline: systemClock.now() - 1 });
    expect(resultOf(answer)).toBe('registry_timeout');
    expect(dns.queries).toEqual([]);
  });

  it('does not believe a delegation if the control ends after the deadline', async () => {
    await using dns = await startFakeDnsServer((name) =>
      randomLabel.test(name) ? 'silent' : 'delegated',
    );
    const { lookUp } = dnsSource([dns]);
    const responseDeadline = systemClock.now() + 300;
    expect(resultOf(await lookUp('name.aa', { responseDeadline }))).toBe('unverified');
  });

  it('has one host queue per parent zone', async () => {
    await using dns = await startFakeDnsServer(answersOf({ 'taken.co.aa': 'delegated' }));
    const clock = frozenClock();
    const queues = new HostQueues({
      limitsOf: twoPerZone,
      clock,
      backoffs: createBackoffs(clock),
      dailyUsage: createDailyUsage(clock),
    });
    const throttled = (source: Source) =>
      throttledSource(source, {
        queueOf: (url) => queues.registryQueue(url),
        redirectQueueOf: (url) => queues.ephemeralQueue(url),
        clock,
        onParserError: () => {},
      });
    const { lookUp } = dnsSource([dns], { clock, throttled });
    const queueDeadline = clock.now() + 500;
    const names = ['a.aa', 'b.aa', 'c.aa', 'taken.co.aa', 'd.co.aa', 'e.co.aa'];
    const answers = await Promise.all(names.map((name) => lookUp(name, { queueDeadline })));
    expect(answers.slice(0, 3).map(resultOf)).toEqual(['absent', 'absent', 'registry_busy']);
    expect(answers.slice(3).map(resultOf)).toEqual(['REGISTERED', 'absent', 'registry_busy']);
    const attempts = answers.flatMap(({ provenance }) => provenance.attempts);
    expect(new Set(attempts.map(({ phase }) => phase))).toEqual(new Set(['queue', 'exchange']));
    expect(attempts.every(({ source }) => source === 'dns')).toBe(true);
  });

  it('looks up the longest names', async () => {
    const suffix = Array.from({ length: 3 }, () => 'a'.repeat(62)).join('.');
    const name = `${'b'.repeat(63)}.${suffix}`;
    await using dns = await startFakeDnsServer(answersOf({ [name]: 'delegated' }));
    expect(name).toHaveLength(252);
    expect(resultOf(await dnsSource([dns]).lookUp(name))).toBe('REGISTERED');
  });
});
