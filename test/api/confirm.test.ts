import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { commandLineEnvironment, runCommandLine } from '../support/gateways/command-line.ts';
import { bootstrapOf, writeBootstrap } from '../support/servers/fake-bootstrap.ts';
import { startDelegatingDns, type DelegatingDns } from '../support/servers/delegating-dns.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { connectMcp, revisions } from '../support/requests/mcp-client.ts';
import { manualClock, type ManualClock } from '../support/time/manual-clock.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { notFound, registered, status } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';
import { remaining, linesOf } from '../support/requests/streams.ts';
import { subscribe } from '../support/requests/subscription.ts';

let registry: FakeRegistry;
let dns: DelegatingDns;
let gateway: Gateway;
let clock: ManualClock;

const start = async (env: Readonly<Record<string, string>> = {}) =>
  forThisTest(startGateway, {
    // Its timers never end, so the registry is not queried because the DNS is slow.
    clock,
    registries: { listed: registry.baseUrl },
    env: { SOURCES_FILE: dns.sourcesFile, ...env },
  });

beforeEach(async () => {
  clock = manualClock();
  registry = await forThisTest(startFakeRegistry);
  registry.on(/^taken\./, ({ name }) => registered(name));
  registry.on(/^redemption\./, ({ name }) => registered(name, { statuses: ['redemption period'] }));
  registry.on(/^failing\./, status(500));
  registry.on(/^lost\./, notFound());
  dns = await forThisTest(startDelegatingDns, ['taken', 'redemption', 'failing', 'lost']);
  gateway = await start();
});

type Confirm = 'all' | 'available';
interface Row {
  readonly status: string;
  readonly source: string | null;
  readonly reason?: string;
  readonly rdap_endpoint?: string | null;
}
type Look = (domain: string, confirm?: Confirm, from?: Gateway) => Promise<Row>;

const argument = (confirm: Confirm | undefined) =>
  confirm === undefined ? '' : `, confirm: ${confirm.toUpperCase()}`;
const parameter = (confirm: Confirm | undefined) => (confirm ? `&confirm=${confirm}` : '');
const restRow = ({ status: value, reason, rdapEndpoint, source }: Json): Row => ({
  status: value.toLowerCase(),
  source,
  ...(reason && { reason }),
  rdap_endpoint: rdapEndpoint,
});
const fields = 'status reason source rdapEndpoint';

function graphql(selection: string): Look {
  return async (domain, confirm, from = gateway) => {
    const args = `domains: ["${domain}"]${argument(confirm)}`;
    const { data } = await from.graphql(`{ domains(${args}) { ${fields} ${selection} } }`);
    return restRow(data.domains[0]);
  };
}

const getStatus: Look = async (domain, confirm, from = gateway) =>
  (await from.get(`/v1/status?domain=${domain}${parameter(confirm)}`)).results[0];

/** The APIs that have `confirm`. */
const searches: Readonly<Record<string, Look>> = {
  'GET /v1/status': getStatus,
  'GET /v1/status with name and tlds': async (domain, confirm) => {
    const [name, tlds] = domain.split(/\.(.*)/);
    const { results } = await gateway.get(
      `/v1/status?name=${name}&tlds=${tlds}${parameter(confirm)}`,
    );
    return results[0];
  },
  'POST /v1/status/bulk': async (domain, confirm) => {
    const response = await gateway.post('/v1/status/bulk', { domains: [domain], confirm });
    return (await response.json()).results[0];
  },
  'POST /v1/status/bulk with options': async (domain, confirm) => {
    const other = confirm === 'available' ? 'all' : 'available';
    const body = { domains: [domain], confirm: other, options: { confirm: confirm ?? 'all' } };
    return (await (await gateway.post('/v1/status/bulk', body)).json()).results[0];
  },
  NDJSON: async (domain, confirm) => {
    const body = { domains: [domain], confirm };
    const headers = { accept: 'application/x-ndjson' };
    const response = await gateway.post('/v1/status/bulk', body, headers);
    return (await remaining(linesOf(response)))[0];
  },
  'GraphQL without a record': graphql(''),
  'GraphQL with rdap': graphql('rdap { handle }'),
  'GraphQL with phase': graphql('phase'),
  'a subscription': async (domain, confirm) => {
    const args = `domains: ["${domain}"]${argument(confirm)}`;
    await using stream = await subscribe(gateway, args, fields);
    return restRow((await stream.take(1))[0]);
  },
  MCP: async (domain, confirm) => {
    await using mcp = await connectMcp(gateway.url, revisions[0]);
    const args = { names: [domain], ...(confirm && { confirm }) };
    return (await mcp.call('check_domains', args)).structuredContent.results[0];
  },
};

/** The APIs that always let the registry confirm. */
const others: Readonly<Record<string, Look>> = {
  'Query.domain': async (domain) =>
    restRow((await gateway.graphql(`{ domain(name: "${domain}") { ${fields} } }`)).data.domain),
  'GET /v1/rdap': async (domain) => {
    const { code, ...body } = await gateway.get(`/v1/rdap?domain=${domain}`);
    return code === undefined ? body : { status: 'unknown', source: 'rdap', reason: code };
  },
};

describe.each(Object.entries({ ...searches, ...others }))('%s, by default,', (_name, look) => {
  it('looks a delegated name up at its registry, once, and returns its address', async () => {
    expect(await look('taken.listed')).toMatchObject({ status: 'registered', source: 'rdap' });
    expect(await getStatus('taken.listed')).toMatchObject({
      source: 'rdap',
      rdap_endpoint: registry.baseUrl,
      cached: true,
    });
    expect(registry.requestCount('taken.listed')).toBe(1);
  });

  it('returns the verdict of the registry, and of the zone only if the registry fails', async () => {
    const redemption = { status: 'redemption', source: 'rdap' };
    expect(await look('redemption.listed')).toMatchObject(redemption);
    // The registry does not find these, and their zone delegates them.
    const contradicted = { status: 'unknown', reason: 'contradicted' };
    for (const domain of ['lost.listed', 'taken.contradicted.test'])
      expect(await look(domain)).toMatchObject(contradicted);
    const delegated = { status: 'registered', source: 'dns' };
    expect(await look('failing.listed')).toMatchObject(delegated);
  });
});

describe.each(Object.entries(searches))('%s, confirming only available names,', (name, look) => {
  it('returns names that their zone delegates as registered', async () => {
    const delegated = { status: 'registered', source: 'dns' };
    for (const domain of [
      'taken.listed',
      'redemption.listed',
      'lost.listed',
      'taken.contradicted.test',
    ])
      expect(await look(domain, 'available')).toMatchObject(delegated);
    const selectsRecord = /with (?:rdap|phase)$/.test(name);
    expect(registry.requestCount('taken.listed')).toBe(selectsRecord ? 1 : 0);
  });

  it('looks other names, and all names with `all`, up at their registry', async () => {
    expect(await look('free.listed', 'available')).toMatchObject({
      status: 'available',
      source: 'rdap',
    });
    expect(registry.requestCount('free.listed')).toBe(1);
    expect(await look('redemption.listed', 'all')).toMatchObject({ status: 'redemption' });
  });
});

it('the record of a delegated name is returned beside a verdict of the DNS', async () => {
  const { data } = await gateway.graphql(
    `{ domains(domains: ["taken.listed", "lost.listed"], confirm: AVAILABLE) {
         source rdapEndpoint problem { code } rdap { ldhName registrar { name } } } }`,
  );
  expect(data.domains).toEqual([
    {
      source: 'dns',
      rdapEndpoint: registry.baseUrl,
      problem: null,
      rdap: { ldhName: 'taken.listed', registrar: expect.anything() },
    },
    { source: 'dns', rdapEndpoint: null, problem: { code: 'no_rdap' }, rdap: null },
  ]);
});

const verdictOf = ({ status: value, reason }: Row) => [value, reason];

describe('the verdict', () => {
  const withRecord = graphql('rdap { handle }');
  const domains = ['taken.listed', 'redemption.listed', 'lost.listed', 'failing.listed'];

  it.each<[string, Confirm]>(
    domains.flatMap((domain) => [
      [domain, 'all'],
      [domain, 'available'],
    ]),
  )(
    'about %s does not depend on the selection or the order of calls: %s',
    async (domain, confirm) => {
      const other = await start();
      const first = await withRecord(domain, confirm);
      const calls = [
        await getStatus(domain, confirm),
        await getStatus(domain, confirm, other),
        await withRecord(domain, confirm, other),
        await getStatus(domain, confirm, other),
      ];
      expect(calls.map(verdictOf)).toEqual(calls.map(() => verdictOf(first)));
    },
  );

  it('is that of the registry if an operation requests a name with both values', async () => {
    const { data } = await gateway.graphql(`{
      fast: domains(domains: ["redemption.listed"], confirm: AVAILABLE) { status source }
      all: domains(domains: ["redemption.listed"]) { status source }
    }`);
    const row = { status: 'REDEMPTION', source: 'rdap' };
    expect(data).toEqual({ fast: [row], all: [row] });
  });
});

describe('the cache', () => {
  it('answers with a delegation only if that is sufficient', async () => {
    await getStatus('redemption.listed', 'available');
    expect(await getStatus('redemption.listed', 'available')).toMatchObject({
      source: 'dns',
      cached: true,
    });
    expect(await getStatus('redemption.listed')).toMatchObject({
      status: 'redemption',
      cached: false,
    });
    expect(await getStatus('redemption.listed', 'available')).toMatchObject({
      status: 'redemption',
      cached: true,
    });
    expect(registry.requestCount('redemption.listed')).toBe(1);
  });

  it('queries the registry again after it failed, and says so in the headers', async () => {
    const response = await gateway.fetch('/v1/status?domain=failing.listed');
    expect(response.headers.get('cache-control')).toBe('private, max-age=0');
    registry.on('failing.listed', registered('failing.listed'));
    clock.advance(5000); // a name that failed is not sent again immediately
    expect(await getStatus('failing.listed')).toMatchObject({ source: 'rdap', cached: false });
  });

  it('has delegations of TLDs with the DNS alone for all callers', async () => {
    await getStatus('taken.dns-only.test');
    expect(await getStatus('taken.dns-only.test')).toMatchObject({ source: 'dns', cached: true });
  });
});

it('concurrent lookups of a name return a delegation only to the callers for whom it is sufficient', async () => {
  const confirms = ['available', 'all', 'available', 'all'] as const;
  const rows = await Promise.all(confirms.map((value) => getStatus('redemption.listed', value)));
  expect(rows.map(({ source }) => source)).toEqual(['dns', 'rdap', 'dns', 'rdap']);
  expect(registry.requestCount('redemption.listed')).toBe(1);
});

it.each(['taken.listed', 'redemption.listed'])(
  'DNS_FIRST=off lets the registry confirm all verdicts: %s',
  async (domain) => {
    const strict = await start({ DNS_FIRST: 'off' });
    // Before anything is stored, as a stored answer of the registry would be sufficient.
    const available = await getStatus(domain, 'available', strict);
    expect(available).toMatchObject({ source: 'rdap', cached: false });
    expect(await getStatus(domain, 'all', strict)).toMatchObject({
      status: available.status,
      source: 'rdap',
    });
    const selected = await graphql('rdap { handle }')(domain, 'available', strict);
    expect(selected).toMatchObject({ status: available.status, source: 'rdap' });
  },
);

describe('the command line', () => {
  it.each(['in its own process', 'at a gateway'])(
    'lets the registry confirm all names, or those that are available: %s',
    async (where) => {
      await using folder = await scratch();
      await using file = await writeBootstrap(bootstrapOf({ listed: registry.baseUrl }));
      const env = {
        ...commandLineEnvironment(folder.path),
        SOURCES_FILE: dns.sourcesFile,
        RDAP_BOOTSTRAP_URL: file.url,
      };
      const check = async (...options: readonly string[]) => {
        const server = where === 'at a gateway' ? ['--server', gateway.url] : [];
        const args = ['check', 'lost.listed', ...server, ...options];
        return JSON.parse((await runCommandLine(args, env)).stdout);
      };
      expect(await check('--confirm', 'available')).toMatchObject({
        status: 'registered',
        source: 'dns',
      });
      expect(await check()).toMatchObject({ available: null, reason: 'contradicted' });
    },
  );

  it('rejects another value', async () => {
    await using folder = await scratch();
    const args = ['check', 'taken.test', '--confirm', 'some'];
    const { code, stderr } = await runCommandLine(args, commandLineEnvironment(folder.path));
    expect(code).toBe(64);
    expect(stderr).toEqual(
      expect.stringContaining('--confirm must be all or available; got "some".'),
    );
  });
});

describe('another value of confirm', () => {
  it.each(['some', 'ALL', ''])('is rejected by GET /v1/status: "%s"', async (value) => {
    const response = await gateway.fetch(`/v1/status?domain=taken.listed&confirm=${value}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: value === '' ? 'missing_parameter' : 'invalid_parameter',
      param: 'confirm',
    });
  });

  it.each([
    [{ confirm: 'some' }, 'confirm'],
    [{ confirm: true }, 'confirm'],
    [{ options: { confirm: 'AVAILABLE' } }, 'options.confirm'],
  ])('is rejected in the body of a bulk call: %j', async (members, param) => {
    const body = { domains: ['taken.listed'], ...members };
    const response = await gateway.post('/v1/status/bulk', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', param });
  });

  it('is rejected by GraphQL and MCP', async () => {
    const { errors } = await gateway.graphql(
      '{ domains(domains: ["taken.listed"], confirm: SOME) { status } }',
    );
    expect(errors[0].message).toContain('Confirm');
    await using mcp = await connectMcp(gateway.url, revisions[0]);
    const { isError, _meta } = await mcp.call('check_domains', {
      names: ['taken.listed'],
      confirm: 'some',
    });
    expect(isError).toBe(true);
    expect(_meta?.['problem']).toMatchObject({ code: 'invalid_parameter', param: 'confirm' });
  });
});

it('an idempotency key is bound to the value of confirm', async () => {
  await using metered = await startMeteredGateway();
  const customer = await metered.newCustomer();
  const send = (confirm?: Confirm) =>
    customer.post(
      '/v1/status/bulk',
      { domains: ['free.example'], confirm },
      { 'idempotency-key': 'one' },
    );
  expect((await send()).status).toBe(200);
  expect((await send('all')).status).toBe(200);
  expect((await send('available')).status).toBe(409);
});

async function lookUpFailing(): Promise<string> {
  const { results } = await gateway.get('/v1/status?domain=failing.listed&max_age=0');
  return results[0].status;
}

it('does not query a registry that failed again for five seconds, while the DNS decides', async () => {
  expect(await lookUpFailing()).toBe('registered');
  const sent = registry.requestCount('failing.listed');
  expect(sent).toBeGreaterThan(0);
  clock.advance(4999);
  expect(await lookUpFailing()).toBe('registered');
  expect(registry.requestCount('failing.listed')).toBe(sent);
  clock.advance(1);
  expect(await lookUpFailing()).toBe('registered');
  expect(registry.requestCount('failing.listed')).toBeGreaterThan(sent);
});
