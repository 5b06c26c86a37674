import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';
import type { Json } from '../support/gateways/gateway.ts';

let clock: ManualClock;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeEach(async () => {
  clock = manualClock();
  sandbox = await startSandbox(clock);
});
afterEach(() => sandbox.close());

const send = (path: string, init?: RequestInit) => fetch(new URL(path, sandbox.baseUrl), init);
const read = async (path: string): Promise<Json> => (await send(path)).json();

/** Paths of one object of each class with this behaviour. */
const faulty = (fault: string, ip: string, autnum: number) => [
  `ip/${ip}`,
  `autnum/${autnum}`,
  `entity/${fault}-1-SANDBOX`,
  `nameserver/${fault}.example-dns.test`,
];

describe('IP networks of the sandbox', () => {
  it('returns the smallest network that contains an address', async () => {
    const answer = await send('ip/192.0.2.53');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/rdap+json');
    expect(await answer.json()).toMatchObject({
      rdapConformance: ['rdap_level_0', 'cidr0', 'geofeed1', 'redacted'],
      objectClassName: 'ip network',
      handle: 'NET-192-0-2-0-26-SANDBOX',
      parentHandle: 'NET-192-0-2-0-24-SANDBOX',
      startAddress: '192.0.2.0',
      endAddress: '192.0.2.63',
      ipVersion: 'v4',
      cidr0_cidrs: [{ v4prefix: '192.0.2.0', length: 26 }],
      entities: [
        { handle: 'EXAMPLE-DNS-SANDBOX', roles: ['registrant'] },
        { handle: 'NETWORKS-ABUSE-SANDBOX', roles: ['abuse'] },
        { handle: 'NETWORKS-TECH-SANDBOX', roles: ['technical'] },
      ],
      links: [
        { rel: 'self', href: `${sandbox.baseUrl}ip/192.0.2.0/26` },
        { rel: 'up', href: `${sandbox.baseUrl}ip/192.0.2.0/24` },
      ],
    });
  });

  it.each([
    ['192.0.2.64', 'NET-192-0-2-0-24-SANDBOX', '192.0.2.255'],
    ['192.0.2.0/26', 'NET-192-0-2-0-26-SANDBOX', '192.0.2.63'],
    ['192.0.2.0/25', 'NET-192-0-2-0-24-SANDBOX', '192.0.2.255'],
    ['198.51.100.255/32', 'NET-198-51-100-0-24-SANDBOX', '198.51.100.255'],
    ['2001:db8:1::53', 'NET6-2001-DB8-1-48-SANDBOX', '2001:db8:1:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8:2::53', 'NET6-2001-DB8-32-SANDBOX', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001%3ADB8%3A%3A/47', 'NET6-2001-DB8-32-SANDBOX', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('returns for %s the network %s', async (ip, handle, endAddress) => {
    expect(await read(`ip/${ip}`)).toMatchObject({ handle, endAddress });
  });

  it('returns 404 for addresses that are not allocated, and for more than one network', async () => {
    for (const ip of ['203.0.113.0', '203.0.113.31', '203.0.113.0/24', '203.0.113.32/26']) {
      const answer = await send(`ip/${ip}`);
      expect([answer.status, await answer.json()], ip).toMatchObject([404, { errorCode: 404 }]);
    }
  });

  it('omits contact data of a person, and lists what it omits', async () => {
    const network = await read('ip/203.0.113.224');
    expect(network.entities[0]).toMatchObject({ handle: 'R-7-SANDBOX', roles: ['registrant'] });
    expect(JSON.stringify(network.entities[0])).not.toContain('"tel"');
    expect(network.redacted).toHaveLength(3);
  });
});

it('the sandbox returns the block of AS numbers that contains a number', async () => {
  expect(await read('autnum/64496')).toMatchObject({
    objectClassName: 'autnum',
    handle: 'AS64496',
    startAutnum: 64_496,
    endAutnum: 64_496,
    entities: [{ handle: 'NETWORKS-SANDBOX', roles: ['registrant'] }, {}, {}],
  });
  expect(await read('autnum/64511')).toMatchObject({ startAutnum: 64_508, endAutnum: 64_511 });
  expect((await read('autnum/64507')).redacted).toHaveLength(3);
  expect((await send('autnum/64500')).status).toBe(404);
});

describe('entities of the sandbox', () => {
  it('returns an organization with its networks and autonomous systems', async () => {
    const organization = await read('entity/example-dns-Sandbox');
    expect(organization).toMatchObject({
      objectClassName: 'entity',
      handle: 'EXAMPLE-DNS-SANDBOX',
      entities: [{ roles: ['abuse'] }, { roles: ['technical'] }],
      networks: [{ handle: 'NET-192-0-2-0-26-SANDBOX' }, { handle: 'NET6-2001-DB8-1-48-SANDBOX' }],
      autnums: [{ handle: 'AS64497' }],
    });
    expect(organization).not.toHaveProperty('roles');
  });

  it('returns the registrar with its IANA ID', async () => {
    expect(await read('entity/9999-SANDBOX')).toMatchObject({
      handle: '9999-SANDBOX',
      publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
      entities: [{ handle: '9999-ABUSE-SANDBOX', roles: ['abuse'] }],
    });
  });

  it('returns 404 for other handles', async () => {
    for (const handle of ['X-SANDBOX', 'R-99999-SANDBOX', 'R-01-SANDBOX', 'AS64496-SANDBOX'])
      expect((await send(`entity/${handle}`)).status, handle).toBe(404);
  });
});

it('the sandbox returns a nameserver with its addresses', async () => {
  expect(await read('nameserver/NS1.example-dns.test')).toMatchObject({
    objectClassName: 'nameserver',
    ldhName: 'ns1.example-dns.test',
    ipAddresses: { v4: ['192.0.2.53'], v6: ['2001:db8:1::53'] },
    entities: [{ handle: '9999-SANDBOX', roles: ['registrar'] }],
  });
  expect((await send('nameserver/ns3.example-dns.test')).status).toBe(404);
});

describe('objects of the sandbox', () => {
  it.each([
    'taken.test',
    'taken-2.shop.test',
    'redemption.test',
    'slow-3.test',
    'pending-1.dev.test',
  ])('links %s to its nameservers, networks, their holders and its contacts', async (name) => {
    const domain = read(`domain/${name}`);
    if (name.startsWith('slow')) await clock.whenPending().then(() => clock.advance(1_500));
    const { nameservers, entities } = await domain;
    for (const { ldhName, ipAddresses } of nameservers) {
      expect(await read(`nameserver/${ldhName}`)).toMatchObject({ ipAddresses });
      for (const address of [...ipAddresses.v4, ...ipAddresses.v6]) {
        const network = await read(`ip/${address}`);
        const holder = await read(`entity/${network.entities[0].handle}`);
        const held = holder.networks.map(({ handle }: Json) => handle);
        expect(held).toContain(network.handle);
      }
    }
    const [registrar, registrant, technical] = entities;
    for (const { handle, vcardArray } of [registrar, ...registrar.entities, registrant])
      expect(await read(`entity/${handle}`)).toMatchObject({ handle, vcardArray });
    const contact = await read(`entity/${technical.handle}`);
    expect(technical.vcardArray[1]).toEqual([
      ...contact.vcardArray[1],
      ['email', {}, 'text', `hostmaster@${name}`],
    ]);
    expect(contact.redacted).toMatchObject([{ name: { description: 'Tech Email' } }]);
  });

  it('returns every object that another one refers to by a link or handle', async () => {
    const seen = new Set<string>();
    const queue = ['entity/NETWORKS-SANDBOX', 'entity/R-7-SANDBOX', 'ip/192.0.2.53'];
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      if (seen.has(path) || isFaulty(path)) continue;
      seen.add(path);
      const answer = await send(path);
      expect(answer.status, path).toBe(200);
      const object: Json = await answer.json();
      for (const part of [object, ...(object.networks ?? []), ...(object.autnums ?? [])])
        queue.push(
          ...part.links
            .filter(({ href }: Json) => href.startsWith(sandbox.baseUrl))
            .map(({ href }: Json) => href.slice(sandbox.baseUrl.length)),
        );
      queue.push(...(object.entities ?? []).map(({ handle }: Json) => `entity/${handle}`));
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['ip/2001:db8:1::/48', 'autnum/64508', 'entity/EXAMPLE-DNS-SANDBOX']),
    );
    expect(seen.size).toBe(19);
  });

  it('returns the same object for the same lookup, except for the date of the database', async () => {
    const first = await read('ip/192.0.2.1');
    expect(await read('ip/192.0.2.1')).toEqual(first);
    clock.advance(86_400_000);
    const events = first.events.slice(0, 2);
    expect(await read('ip/192.0.2.1')).toMatchObject({
      ...first,
      events: [...events, { eventAction: 'last update of RDAP database' }],
    });
  });

  it.each(faulty('redirect', '203.0.113.40', 64_501))('redirects %s', async (path) => {
    const answer = await send(path, { redirect: 'manual' });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`${sandbox.baseUrl}transferred/${path}`);
    const target = await send(path);
    expect([target.status, await target.json()]).toMatchObject([200, { status: ['active'] }]);
  });

  it.each(faulty('slow', '203.0.113.64/27', 64_502))('responds to %s after 1.5 s', async (path) => {
    let answered = false;
    const slow = send(path).finally(() => (answered = true));
    await clock.whenPending();
    clock.advance(1_499);
    await setImmediate();
    expect(answered).toBe(false);
    clock.advance(1);
    expect((await slow).status).toBe(200);
  });

  it.each(faulty('busy', '203.0.113.96', 64_503))(
    'returns 429 for the first request for %s in ten seconds',
    async (path) => {
      const first = await send(path);
      expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
      expect((await send(path)).status).toBe(200);
      clock.advance(10_000);
      expect((await send(path)).status).toBe(429);
    },
  );

  it.each(faulty('down', '203.0.113.128', 64_504))('returns 500 for %s', async (path) => {
    const down = await send(path);
    expect([down.status, await down.json()]).toMatchObject([500, { errorCode: 500 }]);
  });

  it.each(faulty('html', '203.0.113.160', 64_505))('returns HTML for %s', async (path) => {
    const html = await send(path);
    expect([html.status, html.headers.get('content-type')]).toEqual([404, 'text/html']);
  });

  it.each(faulty('hang', '203.0.113.192', 64_506))('never responds to %s', async (path) => {
    const hanging = send(path).catch(() => 'aborted');
    await send('help');
    await sandbox.close();
    expect(await hanging).toBe('aborted');
  });

  it.each([
    'ip/192.0.3.1',
    'ip/192.0.2.0/23',
    'ip/192.0.2.0/33',
    'ip/192.0.2',
    'ip/2001:db9::',
    'ip/%E0%A4%A',
    'autnum/64495',
    'autnum/64512',
    'autnum/AS64496',
    'autnum/99999999999999999999',
    'entity/9999',
    'entity/-SANDBOX',
    'nameserver/ns1.example.com',
    'nameserver/ns1..test',
  ])('returns 400 for %s', async (path) => {
    const answer = await send(path);
    expect([answer.status, await answer.json()]).toMatchObject([400, { errorCode: 400 }]);
  });
});

function isFaulty(path: string): boolean {
  return /^ip\/203\.0\.113\.(?:64|96|128|160|192)\//.test(path) || /^autnum\/6450[2-6]$/.test(path);
}
