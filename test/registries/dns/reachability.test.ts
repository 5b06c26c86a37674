import { describe, expect, it } from 'vitest';
import { startFakeDnsServer } from '../../support/servers/fake-dns-server.ts';
import { fastClock } from '../../support/time/fast-clock.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { jumpingClock } from '../../support/time/jumping-clock.ts';
import { dnsSource, fakeResolver, resultOf } from './fixtures.ts';

const minute = 60_000;
/** More than the silence that counts, by a margin for a busy machine. */
const timeLimitMs = 800;

/** A network that can block each transport, and a source that uses it. */
async function startNetwork() {
  const blocked = { udp: false, tcp: false, zones: /^/ };
  const dns = await startFakeDnsServer((name, _type, transport) => {
    if (blocked[transport] && blocked.zones.test(name)) return 'silent';
    return name.startsWith('name.') ? 'delegated' : 'nxdomain';
  });
  const clock = jumpingClock(fastClock(4));
  const { source, lines, lookUp } = dnsSource([dns], { clock });
  return {
    dns,
    blocked,
    clock,
    source,
    lines,
    lookUp,
    resultOf: async (name: string) => resultOf(await lookUp(name)),
    /** Looks up names one after the other, and expects no reply. */
    async expectSilence(...names: string[]) {
      for (const name of names) {
        const responseDeadline = clock.now() + timeLimitMs;
        expect(resultOf(await lookUp(name, { responseDeadline }))).toBe('registry_timeout');
      }
    },
    transportsOf: (name: string) =>
      new Set(dns.queries.filter((query) => query.name === name).map(({ transport }) => transport)),
    [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose](),
  };
}

describe('a network', () => {
  it('whose ports are closed is logged once, and lookups then end at once', async () => {
    const closed = await startFakeDnsServer();
    await closed[Symbol.asyncDispose]();
    const clock = jumpingClock();
    const { source, lines, lookUp } = dnsSource([closed], { clock });
    for (const name of ['a.aa', 'b.aa', 'c.aa']) {
      expect(source.isReachable).toBe(true);
      expect(resultOf(await lookUp(name))).toBe('registry_error');
    }
    expect(source.isReachable).toBe(false);
    const answers = await Promise.all(['g.aa', 'h.bb', 'i.cc'].map((name) => lookUp(name)));
    for (const { problem, provenance } of answers) {
      expect(problem?.message).toContain('unreachable');
      expect(provenance.attempts).toEqual([]);
    }
    for (const name of ['j.aa', 'k.aa', 'l.aa', 'm.aa']) {
      clock.advance(minute);
      await lookUp(name);
    }
    expect(lines).toMatchObject([{ level: 'warn' }]);
  });

  it('that blocks UDP is used over TCP, and over UDP again when that works', async () => {
    await using network = await startNetwork();
    network.blocked.udp = true;
    expect(await network.resultOf('name.aa')).toBe('REGISTERED');
    expect(await network.resultOf('free.aa')).toBe('absent');
    expect(network.transportsOf('name.aa')).toEqual(new Set(['udp', 'tcp']));
    expect(network.transportsOf('free.aa')).toEqual(new Set(['tcp']));
    network.clock.advance(5 * minute);
    network.blocked.udp = false;
    expect(await network.resultOf('other.aa')).toBe('absent');
    expect(network.transportsOf('other.aa')).toEqual(new Set(['udp']));
    expect(network.lines).toEqual([]);
  });

  it('that blocks TCP later is used over UDP again', async () => {
    await using network = await startNetwork();
    network.blocked.udp = true;
    expect(await network.resultOf('free.aa')).toBe('absent');
    Object.assign(network.blocked, { udp: false, tcp: true });
    expect(await network.resultOf('name.aa')).toBe('REGISTERED');
    expect(await network.resultOf('other.aa')).toBe('absent');
    expect(network.transportsOf('other.aa')).toEqual(new Set(['udp']));
  });

  it('is not blamed for the failure of one zone', async () => {
    await using network = await startNetwork();
    for (const name of ['name.aa', 'name.bb'])
      expect(await network.resultOf(name)).toBe('REGISTERED');
    Object.assign(network.blocked, { udp: true, tcp: true });
    await network.expectSilence('a.bb', 'b.bb', 'c.bb', 'd.bb');
    expect(network.source.isReachable).toBe(true);
    await network.expectSilence('a.aa');
    expect(network.source.isReachable).toBe(false);
  });

  it.each(['that has replied before', 'that is new'])(
    'with two silent zones is used for another one %s',
    async (which) => {
      await using network = await startNetwork();
      const known = ['name.aa', 'name.bb', ...(which === 'that is new' ? [] : ['name.cc'])];
      for (const name of known) expect(await network.resultOf(name)).toBe('REGISTERED');
      Object.assign(network.blocked, { udp: true, tcp: true, zones: /\.(?:aa|bb)$/ });
      await network.expectSilence('a.aa', 'a.bb', 'b.aa');
      expect(network.source.isReachable).toBe(false);
      expect(await network.resultOf('a.aa')).toBe('registry_error');
      expect(await network.resultOf('free.cc')).toBe('absent');
      expect(network.source.isReachable).toBe(true);
    },
  );

  it('is not blamed for silent zones while another one replies', async () => {
    await using network = await startNetwork();
    for (const name of ['name.aa', 'name.bb'])
      expect(await network.resultOf(name)).toBe('REGISTERED');
    Object.assign(network.blocked, { udp: true, tcp: true, zones: /\.(?:aa|bb)$/ });
    const names = ['a.aa', 'a.bb', 'b.aa', 'b.bb'];
    const silent = Promise.all(names.map((name) => network.expectSilence(name)));
    expect(await network.resultOf('name.cc')).toBe('REGISTERED');
    await silent;
    expect(network.source.isReachable).toBe(true);
    expect(network.lines).toEqual([]);
  });

  it('is not blamed for zones that have never replied', async () => {
    await using network = await startNetwork();
    expect(await network.resultOf('name.aa')).toBe('REGISTERED');
    Object.assign(network.blocked, { udp: true, tcp: true });
    await network.expectSilence('a.bb', 'b.bb', 'c.bb', 'a.cc', 'b.cc', 'c.cc', 'd.cc');
    expect(network.source.isReachable).toBe(true);
  });

  it('is not blamed for lookups that end early', async () => {
    await using network = await startNetwork();
    Object.assign(network.blocked, { udp: true, tcp: true });
    const { source, lookUp } = dnsSource([network.dns]);
    for (const name of ['a.aa', 'b.bb', 'c.cc', 'd.dd']) {
      await lookUp(name, { responseDeadline: Date.now() + 20 });
      await lookUp(name, { signal: AbortSignal.timeout(20) });
    }
    expect(source.isReachable).toBe(true);
  });

  it('that blocks UDP and TCP is tried again by one lookup per minute', async () => {
    await using network = await startNetwork();
    Object.assign(network.blocked, { udp: true, tcp: true });
    await network.expectSilence('a.aa', 'b.aa', 'c.aa');
    expect(await network.resultOf('g.bb')).toBe('registry_error');
    network.clock.advance(minute);
    const [, unsent] = await Promise.all([network.expectSilence('h.aa'), network.resultOf('i.aa')]);
    expect(unsent).toBe('registry_error');
    network.blocked.tcp = false;
    expect(await network.resultOf('k.aa')).toBe('registry_error');
    network.clock.advance(minute);
    expect(await network.resultOf('l.aa')).toBe('absent');
    expect(network.source.isReachable).toBe(true);
    for (const name of ['g.bb', 'i.aa', 'k.aa']) expect(network.dns.queryCount(name)).toBe(0);
    expect(network.lines).toMatchObject([{ level: 'warn' }, { level: 'info' }]);
  });

  it('without a resolver is unreachable', async () => {
    const clock = frozenClock();
    const { source, lines, lookUp } = dnsSource([], {
      clock,
      serversOf: () => undefined,
      resolver: fakeResolver({ ns: {}, addresses: {} }).resolver,
    });
    // One TLD may be unknown to the resolver.
    for (let i = 0; i < 10; i += 1) {
      await lookUp(`name${i}.aa`);
      clock.advance(minute);
    }
    expect(source.isReachable).toBe(true);
    await Promise.all(['a.bb', 'a.cc', 'a.dd', 'a.ee', 'a.ff'].map((name) => lookUp(name)));
    expect(source.isReachable).toBe(false);
    expect(lines).toMatchObject([{ level: 'warn' }]);
  });
});
