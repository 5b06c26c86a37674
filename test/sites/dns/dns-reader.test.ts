import { describe, expect, it } from 'vitest';
import type { Answer } from 'dns-packet';
import { systemClock } from '../../../src/clock.ts';
import { parseSiteHost, registrableDomain } from '../../../src/sites/site-target.ts';
import type { SiteRequest } from '../../../src/sites/site-facts.ts';
import { dnsReader } from '../../../src/sites/dns/dns-reader.ts';
import type { FactParts } from '../../../src/sites/fact.ts';
import { forSale } from '../../../src/sites/for-sale/for-sale.ts';
import {
  isPublicName,
  createResolver,
  type RecordsOptions,
} from '../../../src/sites/dns/read-records.ts';
import { siteSlots } from '../../../src/sites/site-slots.ts';
import {
  startFakeDnsServer,
  type DnsAnswerOf,
  type FakeDnsAnswer,
} from '../../support/servers/fake-dns-server.ts';
import { manualClock } from '../../support/time/manual-clock.ts';

const request = (parts: Partial<SiteRequest> = {}): SiteRequest => ({
  signal: new AbortController().signal,
  account: 'a',
  queueDeadline: Infinity,
  ...parts,
});

const queryOf = (host: string) => ({ target: parseSiteHost(host) });

async function start(
  answerOf: DnsAnswerOf,
  clock = systemClock,
  overrides: Partial<RecordsOptions> = {},
) {
  const server = await startFakeDnsServer(answerOf);
  const options: RecordsOptions = {
    resolverOf: () => createResolver([`127.0.0.1:${server.port}`]),
    isPublic: () => true,
    acquireSlot: async () => () => {},
    clock,
    ...overrides,
  };
  return {
    queries: server.queries,
    dns: (host = 'example.com', parts?: Partial<SiteRequest>) =>
      dnsReader(options)(queryOf(host), request(parts)),
    async forSale(host = 'example.com') {
      const read = await forSale.lookup.fact.open({ records: options } as FactParts);
      return read(queryOf(host), request());
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const send =
  (...answers: Answer[]): FakeDnsAnswer =>
  (query) =>
    query.send({ answers });

const name = 'example.com';
const records: Record<string, Answer[]> = {
  A: ['192.0.2.2', '192.0.2.1'].map((data) => ({ type: 'A', name, data })),
  AAAA: [{ type: 'AAAA', name, data: '2001:db8::1' }],
  MX: [
    { type: 'MX', name, data: { preference: 20, exchange: 'Mail.Example.COM' } },
    { type: 'MX', name, data: { preference: 5, exchange: 'b.example' } },
  ],
  NS: [{ type: 'NS', name, data: 'NS1.example.NET' }],
  TXT: [{ type: 'TXT', name, data: ['v=spf1 ', Buffer.from('é')] }],
  CAA: [
    { type: 'CAA', name, data: { flags: 128, tag: 'issue', value: 'ca.example' } },
    { type: 'CAA', name, data: { flags: 0, tag: 'iodef', value: 'https://example.com/' } },
    { type: 'CAA', name, data: { flags: 0, tag: 'IssueMail' as 'issue', value: 'ca.example' } },
  ],
  SOA: [
    { type: 'SOA', name, data: { mname: 'NS1.x', rname: 'H.x', serial: 7, refresh: 1, retry: 2, expire: 3, minimum: 4 } },
  ],
}; // prettier-ignore

const aliasTo = (target: (queried: string) => string) =>
  start((queried, type) =>
    type === 'CNAME' ? send({ type, name: queried, data: target(queried) }) : 'nodata',
  );

describe('the DNS records of a name', () => {
  it('are read by type, in lower case and in a stable order', async () => {
    await using server = await start((_name, type) =>
      records[type] ? send(...records[type]) : 'nodata',
    );
    expect(await server.dns()).toEqual({
      exists: true,
      a: ['192.0.2.1', '192.0.2.2'],
      aaaa: ['2001:db8::1'],
      cname: [],
      mx: [
        { priority: 5, exchange: 'b.example' },
        { priority: 20, exchange: 'mail.example.com' },
      ],
      ns: ['ns1.example.net'],
      txt: ['v=spf1 é'],
      caa: [
        { isCritical: false, tag: 'iodef', value: 'https://example.com/' },
        { isCritical: true, tag: 'issue', value: 'ca.example' },
        { isCritical: false, tag: 'issuemail', value: 'ca.example' },
      ],
      soa: { nameserver: 'ns1.x', hostmaster: 'h.x', serial: 7, refresh: 1, retry: 2, expire: 3, minimumTtl: 4 },
    }); // prettier-ignore
  });

  it('are empty if the name has none, and missing if it does not exist', async () => {
    const empty = { a: [], aaaa: [], cname: [], mx: [], ns: [], txt: [], caa: [], soa: null };
    await using nodata = await start(() => 'nodata');
    expect(await nodata.dns()).toEqual({ exists: true, ...empty });
    await using nxdomain = await start(() => 'nxdomain');
    expect(await nxdomain.dns()).toEqual({ exists: false, ...empty });
    await using mixed = await start((_name, type) => (type === 'MX' ? 'nodata' : 'nxdomain'));
    expect(await mixed.dns()).toMatchObject({ exists: true });
  });

  it('are those of the target of an alias', async () => {
    const next: Record<string, string> = { 'example.com': 'B.test', 'b.test': 'c.test' };
    await using server = await start((queried, type) => (query) => {
      const owner = next[queried] ? 'c.test' : queried;
      const chain = Object.entries(next).map(([from, data]): Answer => ({ type: 'CNAME', name: from, data }));
      const answers = type === 'A' ? [...chain, { type: 'A', name: owner, data: '192.0.2.1' } as const] : chain;
      query.send({ answers: type === 'CNAME' ? chain.filter((alias) => alias.name === queried) : answers });
    }); // prettier-ignore
    expect(await server.dns()).toMatchObject({
      exists: true,
      a: ['192.0.2.1'],
      aaaa: [],
      cname: ['b.test', 'c.test'],
      soa: null,
    });
  });

  it('exist although the target of the alias does not', async () => {
    await using server = await start((queried, type) =>
      type === 'CNAME' && queried === name
        ? send({ type: 'CNAME', name, data: 'gone.test' })
        : 'nxdomain',
    );
    expect(await server.dns()).toMatchObject({ exists: true, cname: ['gone.test'], a: [] });
  });

  it('follow at most ten aliases, and no loop', async () => {
    await using endless = await aliasTo((queried) => `a.${queried}`);
    expect((await endless.dns()).cname).toHaveLength(10);
    await using loop = await aliasTo((queried) => (queried === name ? 'b.test' : name));
    expect((await loop.dns()).cname).toEqual(['b.test']);
    await using later = await aliasTo((queried) => (queried === name ? 'b.test' : 'c.test'));
    expect((await later.dns()).cname).toEqual(['b.test', 'c.test']);
  });

  it('are limited in number and length', async () => {
    const long = Array.from({ length: 17 }, () => 'x'.repeat(255));
    const addresses = Array.from({ length: 120 }, (_, n): Answer => ({ type: 'A', name, data: `192.0.2.${n}` })); // prettier-ignore
    await using server = await start((_name, type, transport) => (query) => {
      if (type === 'TXT' && transport === 'udp') return query.send({ flags: 0x200 });
      if (type === 'TXT') return query.send({ answers: [{ type, name, data: long }] });
      if (type === 'A' && transport === 'udp') return query.send({ flags: 0x200 });
      query.send({ answers: type === 'A' ? addresses : [] });
    });
    const { a, txt } = await server.dns();
    expect(a).toHaveLength(100);
    expect(txt[0]).toHaveLength(4096);
  });

  it.each(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'CAA', 'SOA'])(
    'cannot be read if %s cannot',
    async (failing) => {
      for (const failure of ['servfail', 'refused'] as const) {
        await using server = await start((_name, type) => (type === failing ? failure : 'nodata'));
        await expect(server.dns()).rejects.toMatchObject({ code: 'site_unreachable' });
      }
    },
  );

  it('are not waited for longer than five seconds, or after the caller has gone', async () => {
    const clock = manualClock();
    await using server = await start(() => 'silent', clock);
    let isSent = false;
    const read = server.dns(name, { onSent: () => void (isSent = true) });
    await clock.whenPending();
    expect(isSent).toBe(true);
    clock.advance(5000);
    // c-ares itself gives up later, with another text.
    const problem = { code: 'site_timeout', message: expect.stringContaining('read in time') };
    await expect(read).rejects.toMatchObject(problem);
    const signal = AbortSignal.abort();
    await expect(server.dns(name, { signal })).rejects.toMatchObject(problem);
    expect(clock.pending).toBe(0);
  });
});

describe('a sale', () => {
  it('is read with one query', async () => {
    await using server = await start((queried) =>
      queried === '_for-sale.example.com'
        ? send({ type: 'TXT', name: queried, data: ['v=FORSALE1;fval=', 'EUR9'] })
        : 'nodata',
    );
    expect(await server.forSale()).toMatchObject({
      isForSale: true,
      offers: [{ currency: 'EUR', amount: '9' }],
    });
    expect(server.queries).toHaveLength(1);
  });

  it('is not offered without records, or under .arpa', async () => {
    await using missing = await start(() => 'nxdomain');
    expect(await missing.forSale()).toEqual({ isForSale: false, offers: [] });
    await using sale = await start((queried) =>
      send({ type: 'TXT', name: queried, data: ['v=FORSALE1;'] }),
    );
    expect(await sale.forSale('e164.arpa')).toEqual({ isForSale: false, offers: [] });
    expect(sale.queries).toEqual([]);
  });

  it('is unknown if the query fails', async () => {
    await using server = await start(() => 'servfail');
    await expect(server.forSale()).rejects.toMatchObject({ code: 'site_unreachable' });
  });
});

describe('the DNS records that may be read', () => {
  const notPublic = [
    'db.corp.internal',
    'nas.local',
    'shop.example',
    'a.home.arpa',
    '10.in-addr.arpa',
  ];

  it.each(notPublic)('are not those of %s, which is not a public name', async (host) => {
    await using server = await start(() => 'nodata', systemClock, { isPublic: isPublicName });
    await expect(server.dns(host)).rejects.toMatchObject({ code: 'site_blocked' });
    if (!host.endsWith('arpa'))
      await expect(server.forSale(host)).rejects.toMatchObject({ code: 'site_blocked' });
    expect(server.queries).toEqual([]);
  });

  it.each(['example.com', 'co.uk', 'a.github.io', 'xn--bcher-kva.de'])(
    'are those of the public name %s',
    async (host) => {
      await using server = await start(() => 'nodata', systemClock, { isPublic: isPublicName });
      expect(await server.dns(host)).toMatchObject({ exists: true });
    },
  );
});

describe('a read of DNS records', () => {
  it('waits for a slot and releases it, also after a failure', async () => {
    const events: string[] = [];
    const acquireSlot: RecordsOptions['acquireSlot'] = async (host) => {
      events.push(`acquire ${host}`);
      return () => void events.push('release');
    };
    const onSent = () => void events.push('sent');
    await using server = await start(() => 'servfail', systemClock, { acquireSlot });
    await expect(server.dns(name, { onSent })).rejects.toMatchObject({ code: 'site_unreachable' });
    expect(events).toEqual(['acquire example.com', 'sent', 'release']);
    await expect(server.forSale()).rejects.toMatchObject({ code: 'site_unreachable' });
    expect(events.slice(3)).toEqual(['acquire example.com', 'release']);
  });

  it('shares two slots with the other reads of its site', async () => {
    const slots = siteSlots(systemClock);
    const acquireSlot: RecordsOptions['acquireSlot'] = (host, slotRequest) =>
      slots.acquire(slotRequest, registrableDomain(host));
    const inFlight = new Set<string>();
    let maxInFlight = 0;
    await using server = await start(
      (queried) => {
        inFlight.add(queried);
        maxInFlight = Math.max(maxInFlight, inFlight.size);
        return 'nodata';
      },
      systemClock,
      { acquireSlot },
    );
    const read = async (host: string) => {
      await server.dns(host, { queueDeadline: systemClock.now() + 60_000 });
      inFlight.delete(host);
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((label) => read(`${label}.example.com`)));
    expect(maxInFlight).toBeLessThanOrEqual(2);
    expect(slots.size).toBe(0);
  });

  it('sends nothing without a slot', async () => {
    await using server = await start(() => 'nodata', systemClock, {
      acquireSlot: async () => undefined,
    });
    await expect(server.dns()).rejects.toMatchObject({ code: 'site_timeout' });
    expect(server.queries).toEqual([]);
  });
});
