import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { reset } from '../support/bodies/hostile-replies.ts';
import { manualClock } from '../support/time/manual-clock.ts';
import { redirect, registered, status } from '../support/bodies/replies.ts';
import { scrape } from '../support/checks/scrape.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';
import { paused } from '../support/bodies/scripts.ts';

/** Serves `aa`, and redirects names that do not start with `own` to `back`. */
let front: FakeRegistry;
/** Serves `bb`. */
let back: FakeRegistry;
let files: Scratch;
beforeEach(async () => {
  front = await forThisTest(startFakeRegistry);
  back = await forThisTest(startFakeRegistry);
  files = await forThisTest(scratch);
  front.fallback(({ name }) => redirect(back.url(`domain/${name}`)));
  front.on(/^own/, ({ name }) => registered(name));
  back.fallback(({ name }) => registered(name));
});

/** Starts a gateway whose clock does not advance, so that rate limits do not refill. */
async function open(
  env: Record<string, string> = {},
  others: Record<string, string> = {},
): Promise<Gateway> {
  const registries = { aa: front.baseUrl, bb: back.baseUrl, ...others };
  return forThisTest(startGateway, { registries, env, clock: manualClock() });
}

const hostOf = ({ baseUrl }: FakeRegistry) => new URL(baseUrl).host;

/**
 * Returns the environment that limits a host to a burst, and then to one request per hundred
 * seconds by default.
 */
async function withLimit(
  registry: FakeRegistry,
  burst: number,
  rate = 0.01,
): Promise<Record<string, string>> {
  const path = join(files.path, 'limits.json');
  await writeFile(path, JSON.stringify({ [hostOf(registry)]: { rate, burst } }));
  return { RDAP_LIMITS: path };
}

const resultsOf = async (
  gateway: Gateway,
  ...names: readonly string[]
): Promise<readonly string[]> => {
  const { results } = await gateway.get(`/v1/status?domain=${names.join(',')}`);
  return results.map(({ status: verdict, reason }: Json) => reason ?? verdict);
};
const manyUnder = (tld: string, count = 12) =>
  Array.from({ length: count }, (_, index) => `n${index}.${tld}`);
const times = (count: number, result: string) => Array.from({ length: count }, () => result);
const linkTo = (href: string) => ({
  members: { links: [{ rel: 'related', type: 'application/rdap+json', href }] },
});

describe('a redirect target', () => {
  it('is not queried beyond its own rate limit', async () => {
    const gateway = await open(await withLimit(back, 3));
    const answers = await resultsOf(gateway, ...manyUnder('aa'));
    expect(answers.toSorted()).toEqual([...times(3, 'registered'), ...times(9, 'registry_busy')]);
    expect([front.requests.length, back.requests.length]).toEqual([12, 3]);
    expect(await resultsOf(gateway, 'direct.bb')).toEqual(['registry_busy']);
    expect(back.requests.length).toBe(3);
  });

  it('is not queried beyond its own concurrency limit, which does not block the redirecting host', async () => {
    const reply = paused(({ name }) => registered(name));
    back.fallback(reply);
    const gateway = await open({ RDAP_CONCURRENCY: '1' });
    const answers = resultsOf(gateway, ...manyUnder('aa', 4), 'direct.bb');
    await front.when(({ requests }) => requests.length === 4);
    await back.when(({ inFlight }) => inFlight === 1);
    expect(await resultsOf(gateway, 'own.aa')).toEqual(['registered']);
    reply.release();
    expect(await answers).toEqual(times(5, 'registered'));
    expect([back.peakInFlight, back.requests.length]).toEqual([1, 5]);
  });

  it('is not queued for beyond the time limit of the lookup', async () => {
    const gateway = await open({ ...(await withLimit(back, 1, 10)), RDAP_TIMEOUT_MS: '300' });
    expect((await resultsOf(gateway, 'n1.aa', 'n2.aa')).toSorted()).toEqual([
      'registered',
      'registry_busy',
    ]);
    expect([front.requests.length, back.requests.length]).toEqual([2, 1]);
  });

  it('receives no requests from any host during its Retry-After, unlike the redirecting host', async () => {
    back.on('later.aa', status(429, { 'retry-after': '30' }));
    const gateway = await open();
    expect(await resultsOf(gateway, 'later.aa')).toEqual(['registry_busy']);
    expect(await resultsOf(gateway, 'direct.bb', 'x.aa')).toEqual(times(2, 'registry_busy'));
    expect(back.requests.map(({ name }) => name)).toEqual(['later.aa']);
    expect(await resultsOf(gateway, 'own.aa')).toEqual(['registered']);
  });

  it('is blocked when it only fails, unlike the redirecting host', async () => {
    back.fallback(reset());
    const gateway = await open();
    for (const name of manyUnder('aa')) await resultsOf(gateway, name);
    // Ten names, three of which are retried within the retry budget.
    expect(back.requests.length).toBe(10 + 3);
    expect(await resultsOf(gateway, 'direct.bb', 'own.aa')).toEqual([
      'registry_error',
      'registered',
    ]);
    expect(back.requests.length).toBe(10 + 3);
  });

  it('receives retries only within its own retry budget', async () => {
    // With Retry-After: 0, only the budget limits the retries.
    back.fallback(status(429, { 'retry-after': '0' }));
    const gateway = await open({ RDAP_CONCURRENCY: '1' });
    for (const name of [...manyUnder('aa', 2), ...manyUnder('bb', 4)])
      await resultsOf(gateway, name);
    expect(back.requests.length).toBe(6 + 3);
  });
});

it('metrics label a redirect target with its host only if it is a registry', async () => {
  const elsewhere = await forThisTest(startFakeRegistry);
  const gateway = await open({}, { elsewhere: elsewhere.baseUrl });
  front.on('elsewhere.aa', redirect(elsewhere.url('domain/elsewhere.aa')));
  await resultsOf(gateway, 'direct.bb');
  await resultsOf(gateway, 'elsewhere.aa', 'x.aa');
  const { sum } = await scrape(gateway);
  const requestsTo = (host: string) => sum('rdap_gateway_registry_requests_total', { host });
  expect([elsewhere, front, back].map(({ requests }) => requests.length)).toEqual([1, 2, 2]);
  expect([hostOf(elsewhere), 'redirected', hostOf(front), hostOf(back)].map(requestsTo)).toEqual([
    0, 1, 2, 2,
  ]);
});

describe('a host that redirects to itself', () => {
  beforeEach(() =>
    front.fallback(({ name, url }) =>
      url.startsWith('/v2/') ? registered(name) : redirect(`/v2/domain/${name}`),
    ),
  );

  it('is not queried beyond its rate limit, including redirects', async () => {
    const gateway = await open(await withLimit(front, 4));
    for (const answer of ['registered', 'registered', 'registry_busy'])
      expect(await resultsOf(gateway, `${front.requests.length}.aa`)).toEqual([answer]);
    expect(front.requests.length).toBe(4);
  });

  it('has the same retry budget as any other host', async () => {
    front.on((_name, { url }) => url.startsWith('/v2/'), status(500));
    // The time limit of a request is in real time, which a busy machine exceeds.
    const gateway = await open({ RDAP_TIMEOUT_MS: '60000' });
    const names = manyUnder('aa', 6);
    for (const name of names) expect(await resultsOf(gateway, name)).toEqual(['registry_error']);

    // In a minute, which does not end as the clock is stopped, three retries are always allowed.
    const attempts = names.length + 3;
    // Each attempt is a request and its redirect.
    expect(front.requests.length).toBe(2 * attempts);
  });

  it('receives redirected requests before new ones', async () => {
    const gateway = await open({ RDAP_CONCURRENCY: '1' });
    expect(await resultsOf(gateway, ...manyUnder('aa'))).toEqual(times(12, 'registered'));
    const requested = front.requests.map(({ name }) => name);
    // Otherwise, all twelve would be started before the first ends.
    for (const name of manyUnder('aa'))
      expect(requested.lastIndexOf(name) - requested.indexOf(name)).toBeLessThan(4);
  });
});

it('two hosts that redirect to each other do not deadlock', async () => {
  front.fallback(({ name, url }) =>
    url.startsWith('/last/') ? registered(name) : redirect(back.url(`domain/${name}`)),
  );
  back.fallback(({ name }) => redirect(front.url(`last/domain/${name}`)));
  const gateway = await open({ RDAP_CONCURRENCY: '1' });
  const names = [...manyUnder('aa'), ...manyUnder('bb')];
  expect(await resultsOf(gateway, ...names)).toEqual(times(names.length, 'registered'));
  expect([front.peakInFlight, back.peakInFlight]).toEqual([1, 1]);
});

it('a registrar’s redirect is subject to the limits of its target', async () => {
  const names = ['own1.aa', 'own2.aa', 'own3.aa'];
  const registrar = await forThisTest(startFakeRegistry);
  registrar.fallback(({ name }) => redirect(back.url(`domain/${name}`)));
  front.on(/^own/, ({ name }) => registered(name, linkTo(registrar.url(`domain/${name}`))));
  const gateway = await open(await withLimit(back, 2), { registrar: registrar.baseUrl });
  const fields = 'registrarRdap { handle } registrarProblem { code }';
  const { data } = await gateway.graphql(
    `{ domains(domains: ${JSON.stringify(names)}) { ${fields} } }`,
  );
  expect(data.domains.filter(({ registrarRdap }: Json) => registrarRdap)).toHaveLength(2);
  const failed = data.domains.filter(({ registrarProblem }: Json) => registrarProblem);
  expect(failed).toEqual([{ registrarRdap: null, registrarProblem: { code: 'registry_busy' } }]);
  expect([registrar.requests.length, back.requests.length]).toEqual([3, 2]);
});
