import { describe, expect, it } from 'vitest';
import { rateLimited, type DnsAnswerOf } from '../../support/servers/fake-dns-server.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { fastClock } from '../../support/time/fast-clock.ts';
import { startGateway, type Json } from '../../support/gateways/gateway.ts';
import { registered } from '../../support/bodies/replies.ts';

/** The zones delegate the names that begin with these. */
const delegations = /^(?:google|nic|taken)/;
const truthful: DnsAnswerOf = (name) => (delegations.test(name) ? 'delegated' : 'nxdomain');
/** A secondary with an old zone. */
const withoutTaken: DnsAnswerOf = (name, ...rest) =>
  name.startsWith('taken') ? 'nxdomain' : truthful(name, ...rest);
/** A server that has zones of some names, and one that delegates them. */
const hosting: DnsAnswerOf = (name, ...rest) =>
  name.startsWith('hosted') ? 'child' : truthful(name, ...rest);
const delegatingHosted: DnsAnswerOf = (name, ...rest) =>
  name.startsWith('hosted') ? 'delegated' : truthful(name, ...rest);
/** A server that delegates every name, but gives no answer for those of controls. */
const losing: DnsAnswerOf = (name) => (/^[a-z]{24}\./.test(name) ? 'servfail' : 'delegated');
const labels = (prefix: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `${prefix}${from + index}`);

interface Setup {
  /** The answers of the two servers of all zones. */
  readonly answers?: readonly [DnsAnswerOf, DnsAnswerOf];
  readonly env?: Readonly<Record<string, string>>;
  /** Requests per second; `registry`: of the only RDAP server. */
  readonly rates?: { readonly dns?: number; readonly registry?: number };
  readonly speed?: number;
}

/** A gateway with `listed`, `unlisted`, which the DNS must confirm, and `bare`, the DNS alone. */
async function start({ answers = [truthful, truthful], env, rates = {}, speed = 1 }: Setup = {}) {
  await using starting = new AsyncDisposableStack();
  const registry = starting.use(await startFakeRegistry());
  registry.on(/^(?:google|taken)/, ({ name }) => registered(name));
  const dns = starting.use(await startFakeZone(...answers));
  const suffixes = {
    '': { dns: dns.servers, whois: null },
    unlisted: { rdap: [registry.baseUrl] },
    bare: {},
  };
  const sources = starting.use(await writeBootstrap({ suffixes }));
  const { host } = new URL(registry.baseUrl);
  const limits = starting.use(
    await writeBootstrap({
      [host]: { rate: rates.registry ?? 0, burst: 1 },
      ...(rates.dns && { dns: { rate: rates.dns, burst: 1 } }),
    }),
  );
  const gateway = starting.use(
    await startGateway({
      clock: fastClock(speed),
      registries: { listed: registry.baseUrl },
      env: { SOURCES_FILE: sources.path, RDAP_LIMITS: limits.path, ...env },
    }),
  );
  const stack = starting.move();
  return {
    dns,
    registry,
    /** Looks up labels under a TLD with one call, and returns the rows. */
    async rowsOf(tld: string, of: readonly string[], confirm = 'all'): Promise<readonly Json[]> {
      const domains = of.map((label) => `${label}.${tld}`);
      const response = await gateway.post('/v1/status/bulk', { domains, confirm });
      return ((await response.json()) as Json).results;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const statusesOf = (rows: readonly Json[]) => new Set(rows.map(({ status }) => status));

it.each(['silent', 'truncated'] as const)(
  'name servers that limit their rate confirm that names are available, with few queries (%s)',
  async (excess) => {
    const first = rateLimited(truthful, excess);
    await using zone = await start({ answers: [first, rateLimited(truthful, excess)] });
    const free = labels('free', 20);
    expect(statusesOf(await zone.rowsOf('unlisted', free))).toEqual(new Set(['available']));
    // From now on, both are queried over TCP: with UDP, there would be at least 80 queries.
    const before = zone.dns.total;
    const others = labels('other', 20);
    expect(statusesOf(await zone.rowsOf('unlisted', others))).toEqual(new Set(['available']));
    expect(zone.dns.total - before).toBeLessThan(60);
  },
);

describe('a name server that has the zone of a name', () => {
  it.each(['all', 'available'])(
    'does not show that it is delegated (confirm=%s)',
    async (confirm) => {
      await using zone = await start({ answers: [hosting, hosting] });
      const [listed] = await zone.rowsOf('listed', ['hosted'], confirm);
      expect(listed).toMatchObject({ available: null, reason: 'contradicted' });
      const [bare] = await zone.rowsOf('bare', ['hosted'], confirm);
      expect(bare).toMatchObject({ available: null, reason: 'not_delegated' });
      zone.registry.on('hosted.unlisted', registered('hosted.unlisted'));
      const [unlisted] = await zone.rowsOf('unlisted', ['hosted'], confirm);
      expect(unlisted).toMatchObject({ status: 'registered', source: 'rdap' });
    },
  );

  it('leaves the decision to one that delegates it', async () => {
    await using zone = await start({ answers: [hosting, delegatingHosted] });
    const rows = await zone.rowsOf('bare', labels('hosted', 10));
    expect(statusesOf(rows)).toEqual(new Set(['registered']));
  });
});

it('a TLD with the DNS alone has the delegations that only one of its name servers knows', async () => {
  await using zone = await start({ answers: [withoutTaken, truthful] });
  const rows = await zone.rowsOf('bare', labels('taken', 20));
  expect(statusesOf(rows)).toEqual(new Set(['registered']));
});

describe('a zone that begins to delegate every name', () => {
  it.each([
    ['both servers', 1, 20],
    ['both servers', 4, 5],
    ['one server', 1, 20],
  ])('is noticed in time (%s, %i nodes)', async (which, nodes, maxWrong) => {
    let isWild = false;
    const wild: DnsAnswerOf = (...query) => (isWild ? 'delegated' : truthful(...query));
    const other = which === 'both servers' ? wild : truthful;
    const env = { CLUSTER_SIZE: String(nodes) };
    await using zone = await start({ answers: [wild, other], env, speed: 4 });
    await zone.rowsOf('listed', ['taken', 'free'], 'available');
    isWild = true;
    const rows = await zone.rowsOf('listed', labels('free', 60), 'available');
    const wrong = rows.filter(({ status }) => status === 'registered');
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.length).toBeLessThanOrEqual(maxWrong);
  });

  it.each([
    ['listed', 'contradicted'],
    ['unlisted', 'contradicted'],
    ['bare', 'registry_error'],
  ])('proves nothing if its answers about random names are lost (%s)', async (tld, reason) => {
    await using zone = await start({ answers: [losing, losing] });
    for (const confirm of ['all', 'available']) {
      const rows = await zone.rowsOf(tld, labels('free', 30), confirm);
      expect(new Set(rows.map(({ status, reason: why }) => `${status} ${why}`))).toEqual(
        new Set([`unknown ${reason}`]),
      );
    }
  });
});

describe('the queue of the DNS', () => {
  it('is waited for if the registry is faster and its answers must be confirmed', async () => {
    await using zone = await start({ rates: { dns: 10 }, speed: 4 });
    const rows = await zone.rowsOf('unlisted', labels('free', 80));
    expect(statusesOf(rows)).toEqual(new Set(['available']));
  });

  it('has a reason of its own if it is full', async () => {
    await using zone = await start({ rates: { dns: 0.01 }, speed: 4 });
    const rows = await zone.rowsOf('unlisted', labels('free', 5));
    const unknown = rows.filter(({ status }) => status === 'unknown');
    expect(new Set(unknown.map(({ reason }) => reason))).toEqual(new Set(['registry_busy']));
  });

  it('is used rather than that of a slower registry', async () => {
    await using zone = await start({ rates: { dns: 10, registry: 0.2 }, speed: 4 });
    const rows = await zone.rowsOf('listed', labels('taken', 40), 'available');
    expect(statusesOf(rows)).toEqual(new Set(['registered']));
    expect(rows.filter(({ source }) => source === 'dns').length).toBeGreaterThan(30);
  });
});
