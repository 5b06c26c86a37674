import { describe, expect, it } from 'vitest';
import {
  nsRecords,
  startFakeDnsServer,
  type DnsAnswerOf,
} from '../../support/servers/fake-dns-server.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { dnsSource, exchangeWith, fakeResolver, resultOf, type ResolverData } from './fixtures.ts';

const minute = 60_000;
const hour = 60 * minute;
const delegates =
  (...names: string[]): DnsAnswerOf =>
  (name) =>
    names.includes(name) ? 'delegated' : 'nxdomain';
/** The zone `aa` delegates `co.aa` to a name server. */
const delegatesCoAa =
  (data: string): DnsAnswerOf =>
  (name) =>
    name.endsWith('.co.aa')
      ? (query) => query.send({ authorities: [{ type: 'NS', name: 'co.aa', data }] })
      : 'nxdomain';
const hosts: ResolverData = {
  ns: { aa: ['ns.aa'], 'co.aa': ['ns.co.aa'] },
  addresses: { 'ns.aa': ['193.0.0.1'], 'ns.co.aa': ['193.0.0.2'], 'private.aa': ['10.0.0.1'] },
};

/** Starts the servers of `aa` and `co.aa`, and a source that finds them with a resolver. */
async function startZones({
  data = hosts,
  aa = delegates('name.aa', 'name.co.aa', 'name.xx.aa'),
  coAa = delegates(),
}: { data?: ResolverData; aa?: DnsAnswerOf; coAa?: DnsAnswerOf } = {}) {
  const stack = new AsyncDisposableStack();
  const servers = {
    '193.0.0.1': stack.use(await startFakeDnsServer(aa)),
    '193.0.0.2': stack.use(await startFakeDnsServer(coAa)),
  };
  const clock = frozenClock();
  const found = fakeResolver(data);
  const network = exchangeWith(servers);
  const { resolver } = found;
  const { exchange } = network;
  const dns = dnsSource([], { clock, resolver, exchange, serversOf: () => undefined });
  return { ...dns, ...found, ...network, clock, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('the zone of a name', () => {
  it('is the one of its suffix if that has name servers', async () => {
    await using dns = await startZones();
    const answer = await dns.lookUp('name.co.aa');
    expect(resultOf(answer)).toBe('absent');
    expect(answer.provenance.endpoint).toBe('dns://co.aa/');
    expect(new Set(dns.requested)).toEqual(new Set(['193.0.0.2']));
  });

  it.each(['ENODATA', 'ENOTFOUND'])(
    'is the one above if its suffix has none (%s)',
    async (code) => {
      await using dns = await startZones({
        data: { ...hosts, ns: { ...hosts.ns, 'co.aa': code } },
      });
      // The SOA record of `aa` is needed for a negative answer.
      const answer = await dns.lookUp('name.co.aa');
      expect(resultOf(answer)).toBe('REGISTERED');
      expect(answer.provenance.endpoint).toBe('dns://aa/');
    },
  );

  it.each(['ESERVFAIL', 'ETIMEOUT', 'EREFUSED'])(
    'is unknown if the resolver fails for its suffix (%s)',
    async (code) => {
      await using dns = await startZones({
        data: { ...hosts, ns: { ...hosts.ns, 'co.aa': code } },
      });
      expect(resultOf(await dns.lookUp('name.co.aa'))).toBe('registry_error');
      expect(dns.requested).toEqual([]);
      expect(dns.calls).toEqual(['co.aa']);
    },
  );

  it('is followed once if the servers of the zone above delegate the suffix', async () => {
    await using dns = await startZones({
      aa: delegatesCoAa('ns.co.aa'),
      coAa: delegates('name.co.aa'),
      data: { ...hosts, ns: { aa: ['ns.aa'] } },
    });
    const answer = await dns.lookUp('name.co.aa');
    expect(resultOf(answer)).toBe('REGISTERED');
    expect(answer.provenance.endpoint).toBe('dns://co.aa/');
    dns.requested.length = 0;
    expect(resultOf(await dns.lookUp('other.co.aa'))).toBe('absent');
    expect(dns.requested).toEqual(['193.0.0.2']);
  });

  it('is followed if servers that the operator names for the TLD delegate the suffix', async () => {
    await using dns = await startZones({
      aa: (name, ...rest) =>
        name === 'name.aa' ? 'delegated' : delegatesCoAa('ns.co.aa')(name, ...rest),
      coAa: delegates('name.co.aa'),
      data: { ...hosts, ns: {} },
    });
    const { resolver, exchange } = dns;
    const { lookUp } = dnsSource([{ address: '193.0.0.1', port: 53 }], { resolver, exchange });
    const names = ['name.co.aa', 'free.co.aa', 'name.aa', 'free.aa', 'name.co.aa', 'free.co.aa'];
    const results = await Promise.all(names.map(async (name) => resultOf(await lookUp(name))));
    const [taken, free] = ['REGISTERED', 'absent'];
    expect(results).toEqual([taken, free, taken, free, taken, free]);
  });

  it.each([
    ['to internal hosts', 'private.aa'],
    ['to unknown hosts', 'unknown.aa'],
    ['to a name that is not a host name', 'ns.\u0000.aa'],
    ['back to the zone above', 'ns.aa'],
  ])('is not followed %s', async (_, data) => {
    await using dns = await startZones({
      aa: delegatesCoAa(data),
      data: { ...hosts, ns: { aa: ['ns.aa'] } },
    });
    expect(resultOf(await dns.lookUp('name.co.aa'))).toBe('registry_error');
    expect(dns.requested).not.toContain('10.0.0.1');
    expect(dns.calls).not.toContain('ns.\u0000.aa');
  });
});

describe('the servers of a zone', () => {
  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fc00::1',
    '::ffff:193.0.0.1',
    '2001:db8::1',
  ])('are never queried at %s', async (address) => {
    const addresses = { 'ns.aa': [address] };
    await using dns = await startZones({ data: { ...hosts, addresses } });
    expect(resultOf(await dns.lookUp('name.aa'))).toBe('registry_error');
    expect(dns.requested).toEqual([]);
  });

  it('are queried at their public addresses only', async () => {
    const addresses = { 'ns.aa': ['192.168.0.1', '193.0.0.1', 'fd00::1'] };
    await using dns = await startZones({ data: { ...hosts, addresses } });
    expect(resultOf(await dns.lookUp('name.aa'))).toBe('REGISTERED');
    expect(new Set(dns.requested)).toEqual(new Set(['193.0.0.1']));
  });

  it('are queried over IPv4 if IPv6 cannot be routed', async () => {
    const overIPv6 = Array.from({ length: 20 }, (_, index) => `2001:67c::${index + 1}`);
    const addresses = { 'ns.aa': [...overIPv6, '193.0.0.1'] };
    await using dns = await startZones({ data: { ...hosts, addresses } });
    expect(resultOf(await dns.lookUp('name.aa'))).toBe('REGISTERED');
    dns.requested.length = 0;
    dns.clock.advance(5 * minute - 1);
    expect(resultOf(await dns.lookUp('free.aa'))).toBe('absent');
    expect(dns.requested).toEqual(['193.0.0.1']);
  });

  it('are found once for concurrent lookups, and again after an hour', async () => {
    await using dns = await startZones();
    await Promise.all(['a.aa', 'b.aa', 'c.aa'].map((name) => dns.lookUp(name)));
    dns.clock.advance(hour - 1);
    await dns.lookUp('d.aa');
    expect(dns.calls.filter((name) => name === 'aa')).toHaveLength(1);
    dns.clock.advance(1);
    await dns.lookUp('e.aa');
    expect(dns.calls.filter((name) => name === 'aa')).toHaveLength(2);
  });

  it.each([
    [3 * hour, 3 * hour],
    [7 * 24 * hour, 24 * hour],
  ])('with a TTL of %i ms are used for %i ms', async (ttlMs, validMs) => {
    await using dns = await startZones();
    dns.state.ttl = ttlMs / 1000;
    await dns.lookUp('a.aa');
    dns.clock.advance(validMs - 1);
    await dns.lookUp('b.aa');
    expect(dns.calls.filter((name) => name === 'aa')).toHaveLength(1);
    dns.clock.advance(1);
    await dns.lookUp('c.aa');
    expect(dns.calls.filter((name) => name === 'aa')).toHaveLength(2);
  });

  it('remain in use while the resolver fails', async () => {
    await using dns = await startZones();
    await dns.lookUp('name.aa');
    dns.state.data = { ...hosts, ns: { aa: 'ESERVFAIL' } };
    dns.clock.advance(2 * hour);
    expect(resultOf(await dns.lookUp('name.aa'))).toBe('REGISTERED');
  });

  it('are replaced when the zone has new ones', async () => {
    await using dns = await startZones({ coAa: delegates('moved.aa') });
    await dns.lookUp('name.aa');
    dns.state.data = { ...hosts, ns: { aa: ['ns.co.aa'] } };
    dns.clock.advance(2 * hour);
    expect(resultOf(await dns.lookUp('moved.aa'))).toBe('REGISTERED');
  });

  it('are not searched again for 30 seconds after a failure', async () => {
    await using dns = await startZones({ data: { ...hosts, ns: { aa: 'ESERVFAIL' } } });
    await dns.lookUp('a.aa');
    dns.clock.advance(29_999);
    expect(resultOf(await dns.lookUp('b.aa'))).toBe('registry_error');
    expect(dns.calls).toEqual(['aa']);
    dns.state.data = hosts;
    dns.clock.advance(1);
    expect(resultOf(await dns.lookUp('name.aa'))).toBe('REGISTERED');
  });

  it('are not waited for longer than the deadline', async () => {
    const never = new Promise<never>(() => {});
    const { lookUp } = dnsSource([], {
      serversOf: () => undefined,
      resolver: { resolveNs: () => never, resolve4: () => never, resolve6: () => never },
    });
    const responseDeadline = Date.now() + 50;
    expect(resultOf(await lookUp('a.aa', { responseDeadline }))).toBe('registry_timeout');
    const signal = AbortSignal.abort();
    expect(resultOf(await lookUp('a.aa', { signal }))).toBe('registry_timeout');
  });

  it('that the operator names need RDAP_ALLOW_PRIVATE to have private addresses', async () => {
    await using dns = await startFakeDnsServer(delegates('name.aa'));
    const { lookUp } = dnsSource([dns], { allowPrivate: false });
    expect(resultOf(await lookUp('name.aa'))).toBe('registry_error');
    expect(dns.queries).toEqual([]);
  });

  it('that the operator names may serve the suffix as part of the zone above', async () => {
    await using dns = await startFakeDnsServer(
      (name) => (query) =>
        name === 'name.co.aa'
          ? query.send({ authorities: nsRecords(name) })
          : query.send({
              flags: 1 << 10,
              rcode: 3,
              authorities: [
                { type: 'SOA', name: 'aa', data: { mname: 'ns.aa', rname: 'hostmaster.aa' } },
              ],
            }),
    );
    const { lookUp } = dnsSource([dns]);
    expect(resultOf(await lookUp('name.co.aa'))).toBe('REGISTERED');
    expect(resultOf(await lookUp('free.co.aa'))).toBe('absent');
  });
});
