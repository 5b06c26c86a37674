import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { sandboxSuffixes } from '../../src/sandbox/names.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';

let clock: ManualClock;
let sandbox: Awaited<ReturnType<typeof startSandbox>>;
beforeEach(async () => {
  clock = manualClock();
  sandbox = await startSandbox(clock);
});
afterEach(() => sandbox.close());

const send = (path: string, init?: RequestInit) => fetch(new URL(path, sandbox.baseUrl), init);
const lookUp = (name: string) => send(`domain/${name}`);
const read = async (name: string) => (await (await lookUp(name)).json()) as Domain;
const dateOf = ({ events }: Domain, action: string) =>
  Date.parse(events.find(({ eventAction }) => eventAction === action)?.eventDate ?? '');

interface Domain {
  readonly status: readonly string[];
  readonly events: readonly { readonly eventAction: string; readonly eventDate: string }[];
  readonly redacted: readonly unknown[];
}

describe('the sandbox registry', () => {
  it('returns a full domain object for a taken name', async () => {
    const answer = await lookUp('taken-1.shop.test');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/rdap+json');
    const domain = (await answer.json()) as Domain;
    expect(domain).toMatchObject({
      objectClassName: 'domain',
      ldhName: 'taken-1.shop.test',
      nameservers: [
        { ldhName: 'ns1.example-dns.test', ipAddresses: { v4: ['192.0.2.53'] } },
        { ldhName: 'ns2.example-dns.test' },
      ],
      secureDNS: { delegationSigned: true, dsData: [{ algorithm: 13, digestType: 2 }] },
      entities: [
        {
          roles: ['registrar'],
          publicIds: [{ identifier: '9999' }],
          entities: [{ roles: ['abuse'] }],
        },
        { roles: ['registrant'] },
        { roles: ['technical'] },
      ],
      links: [{ rel: 'self', href: `${sandbox.baseUrl}domain/taken-1.shop.test` }],
    });
    expect(domain.redacted).toHaveLength(3);
    expect(domain).not.toHaveProperty('unicodeName');
    expect(await read('taken-1.shop.test')).toEqual(domain);
  });

  it.each(['2026-01-01', '2026-12-31', '2028-02-29', '2050-07-01'])(
    'returns a taken name that expires in more than 60 days on %s',
    async (today) => {
      const start = Date.parse(today);
      clock.advance(start - clock.now());
      for (let n = 0; n < 50; n += 1) {
        const domain = await read(`taken-${n}.test`);
        expect(dateOf(domain, 'expiration')).toBeGreaterThan(start + 60 * 86_400_000);
        expect(dateOf(domain, 'last changed')).toBeLessThan(start);
        expect(dateOf(domain, 'registration')).toBeLessThan(dateOf(domain, 'last changed'));
      }
    },
  );

  it('returns the Unicode form of an internationalized name, and lower-case names', async () => {
    expect(await read('taken.xn--bcher-kva.test')).toMatchObject({
      unicodeName: 'taken.bücher.test',
    });
    expect(await read('TAKEN.Test')).toMatchObject({ ldhName: 'taken.test' });
  });

  it('returns the phases of an expired name', async () => {
    expect((await read('redemption.test')).status).toEqual(['redemption period', 'pending delete']);
    expect((await read('pendings.app.test')).status).toEqual(['pending delete']);
    const domain = await read('pending.test');
    expect(dateOf(domain, 'expiration')).toBeLessThan(dateOf(domain, 'last changed'));
    expect(dateOf(domain, 'last changed')).toBeLessThan(clock.now());
  });

  it('returns 429 for the first request for a busy name in ten seconds', async () => {
    const first = await lookUp('busy.test');
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
    clock.advance(9_999);
    expect((await lookUp('busy.test')).status).toBe(200);
    expect((await lookUp('busy-2.test')).status).toBe(429);
    clock.advance(1);
    expect((await lookUp('busy.test')).status).toBe(429);
    expect((await lookUp('busy.test')).status).toBe(200);
  });

  it('never responds to a hanging name, and closes its connection on shutdown', async () => {
    const hanging = lookUp('hang.test').catch(() => 'aborted');
    await lookUp('taken.test');
    await sandbox.close();
    await sandbox.close();
    expect(await hanging).toBe('aborted');
  });

  it('returns 400 for anything but a name under .test', async () => {
    for (const name of [
      'taken.com',
      'test',
      '-a.test',
      'a..test',
      'a_b.test',
      'b%C3%BCcher.test',
      '%zz.test',
    ]) {
      expect((await lookUp(name)).status, name).toBe(400);
    }
  });

  it('supports HEAD and /help, and returns 404 for other paths and methods', async () => {
    const head = await send('domain/taken.test', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(await (await send('help')).json()).toMatchObject({ notices: [{ title: 'Sandbox' }] });
    for (const [path, method] of Object.entries({
      'ip/': 'GET',
      'ips?name=x': 'GET',
      'domain/': 'GET',
      'domain/taken.test': 'POST',
    })) {
      const answer = await send(path, { method });
      expect([answer.status, await answer.json()], path).toMatchObject([404, { errorCode: 404 }]);
    }
  });

  it('serves 36 distinct suffixes', () => {
    expect(sandboxSuffixes).toEqual(
      expect.arrayContaining(['test', 'shop.test', 'app.test', 'dev.test']),
    );
    expect(new Set(sandboxSuffixes).size).toBe(36);
    for (const suffix of sandboxSuffixes) expect(suffix).toMatch(/^(?:[a-z0-9]+\.)?test$/);
  });
});
