import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateway.ts';
import { reset } from '../support/hostile-replies.ts';
import { manualClock } from '../support/manual-clock.ts';
import { redirect, registered, status } from '../support/replies.ts';
import { scrape } from '../support/scrape.ts';
import { scratch, type Scratch } from '../support/scratch.ts';
import { paused } from '../support/scripts.ts';

let cleanup: AsyncDisposableStack;
/** Serves `aa`, and sends whoever asks for a name that does not begin with `own` to the other. */
let front: FakeRegistry;
/** Serves `bb`. */
let back: FakeRegistry;
let files: Scratch;
beforeEach(async () => {
  cleanup = new AsyncDisposableStack();
  front = cleanup.use(await startFakeRegistry());
  back = cleanup.use(await startFakeRegistry());
  files = cleanup.use(await scratch());
  front.fallback(({ name }) => redirect(back.url(`domain/${name}`)));
  front.on(/^own/, ({ name }) => registered(name));
  back.fallback(({ name }) => registered(name));
});
afterEach(() => cleanup.disposeAsync());

/** A gateway whose clock stands still, so that no turn comes with time. */
async function open(
  env: Record<string, string> = {},
  others: Record<string, string> = {},
): Promise<Gateway> {
  const registries = { aa: front.baseUrl, bb: back.baseUrl, ...others };
  return cleanup.use(await startGateway({ registries, env, clock: manualClock() }));
}

const hostOf = ({ baseUrl }: FakeRegistry) => new URL(baseUrl).host;

/** Lets a host be asked so often, and then, unless another rate is given, once in a hundred seconds. */
async function limiting(
  registry: FakeRegistry,
  burst: number,
  rate = 0.01,
): Promise<Record<string, string>> {
  const path = join(files.path, 'limits.json');
  await writeFile(path, JSON.stringify({ [hostOf(registry)]: { rate, burst } }));
  return { RDAP_LIMITS: path };
}

const answersOf = async (
  gateway: Gateway,
  ...names: readonly string[]
): Promise<readonly string[]> => {
  const { results } = await gateway.get(`/v1/status?domain=${names.join(',')}`);
  return results.map(({ status: word, reason }: Json) => reason ?? word);
};
const manyUnder = (tld: string, count = 12) =>
  Array.from({ length: count }, (_, index) => `n${index}.${tld}`);
const times = (count: number, answer: string) => Array.from({ length: count }, () => answer);
const linkTo = (href: string) => ({
  members: { links: [{ rel: 'related', type: 'application/rdap+json', href }] },
});

describe('a host to which another redirects', () => {
  it('is asked no more than its own limits allow', async () => {
    const gateway = await open(await limiting(back, 3));
    const answers = await answersOf(gateway, ...manyUnder('aa'));
    expect(answers.toSorted()).toEqual([...times(3, 'registered'), ...times(9, 'registry_busy')]);
    expect([front.requests.length, back.requests.length]).toEqual([12, 3]);
    expect(await answersOf(gateway, 'direct.bb')).toEqual(['registry_busy']);
    expect(back.requests.length).toBe(3);
  });

  it('has no more requests in flight than it may, while the other goes on', async () => {
    const reply = paused(({ name }) => registered(name));
    back.fallback(reply);
    const gateway = await open({ RDAP_CONCURRENCY: '1' });
    const answers = answersOf(gateway, ...manyUnder('aa', 4), 'direct.bb');
    await front.when(({ requests }) => requests.length === 4);
    await back.when(({ inFlight }) => inFlight === 1);
    expect(await answersOf(gateway, 'own.aa')).toEqual(['registered']);
    reply.release();
    expect(await answers).toEqual(times(5, 'registered'));
    expect([back.peakInFlight, back.requests.length]).toEqual([1, 5]);
  });

  it('is not waited for beyond the time limit', async () => {
    const gateway = await open({ ...(await limiting(back, 1, 10)), RDAP_TIMEOUT_MS: '300' });
    expect((await answersOf(gateway, 'n1.aa', 'n2.aa')).toSorted()).toEqual([
      'registered',
      'registry_busy',
    ]);
    expect([front.requests.length, back.requests.length]).toEqual([2, 1]);
  });

  it('is left alone by everybody when it says "later"; the other is not', async () => {
    back.on('later.aa', status(429, { 'retry-after': '30' }));
    const gateway = await open();
    expect(await answersOf(gateway, 'later.aa')).toEqual(['registry_busy']);
    expect(await answersOf(gateway, 'direct.bb', 'x.aa')).toEqual(times(2, 'registry_busy'));
    expect(back.requests.map(({ name }) => name)).toEqual(['later.aa']);
    expect(await answersOf(gateway, 'own.aa')).toEqual(['registered']);
  });

  it('is given up when it does nothing but fail; the other is not', async () => {
    back.fallback(reset());
    const gateway = await open();
    for (const name of manyUnder('aa')) await answersOf(gateway, name);
    // Ten names, of which the retry budget lets three be tried twice.
    expect(back.requests.length).toBe(10 + 3);
    expect(await answersOf(gateway, 'direct.bb', 'own.aa')).toEqual([
      'registry_error',
      'registered',
    ]);
    expect(back.requests.length).toBe(10 + 3);
  });

  it('is asked twice, too, no more often than it may be', async () => {
    // It says "later" for no time at all, so that nothing else keeps second tries from it.
    back.fallback(status(429, { 'retry-after': '0' }));
    const gateway = await open({ RDAP_CONCURRENCY: '1' });
    for (const name of [...manyUnder('aa', 2), ...manyUnder('bb', 4)])
      await answersOf(gateway, name);
    expect(back.requests.length).toBe(6 + 3);
  });
});

it('in the figures, a host that a redirect leads to has a name of its own only where it is a registry’s', async () => {
  const elsewhere = cleanup.use(await startFakeRegistry());
  const gateway = await open({}, { elsewhere: elsewhere.baseUrl });
  front.on('elsewhere.aa', redirect(elsewhere.url('domain/elsewhere.aa')));
  await answersOf(gateway, 'direct.bb');
  await answersOf(gateway, 'elsewhere.aa', 'x.aa');
  const { sum } = await scrape(gateway);
  const questions = (host: string) => sum('rdap_gateway_registry_requests_total', { host });
  expect([elsewhere, front, back].map(({ requests }) => requests.length)).toEqual([1, 2, 2]);
  expect([hostOf(elsewhere), 'redirected', hostOf(front), hostOf(back)].map(questions)).toEqual([
    0, 1, 2, 2,
  ]);
});

describe('a host that redirects to itself', () => {
  beforeEach(() =>
    front.fallback(({ name, url }) =>
      url.startsWith('/v2/') ? registered(name) : redirect(`/v2/domain/${name}`),
    ),
  );

  it('is asked no more than its limits allow, redirects counted', async () => {
    const gateway = await open(await limiting(front, 4));
    for (const answer of ['registered', 'registered', 'registry_busy'])
      expect(await answersOf(gateway, `${front.requests.length}.aa`)).toEqual([answer]);
    expect(front.requests.length).toBe(4);
  });

  it('is asked a second time as often as any other', async () => {
    front.on((_name, { url }) => url.startsWith('/v2/'), status(500));
    const gateway = await open();
    for (const name of manyUnder('aa', 6))
      expect(await answersOf(gateway, name)).toEqual(['registry_error']);
    expect(front.requests.length).toBe(2 * (6 + 3));
  });

  it('has what it sent on answered before it is asked more', async () => {
    const gateway = await open({ RDAP_CONCURRENCY: '1' });
    expect(await answersOf(gateway, ...manyUnder('aa'))).toEqual(times(12, 'registered'));
    const asked = front.requests.map(({ name }) => name);
    // Without that, all twelve would be begun before the first is ended.
    for (const name of manyUnder('aa'))
      expect(asked.lastIndexOf(name) - asked.indexOf(name)).toBeLessThan(4);
  });
});

it('two hosts that redirect to each other never wait for each other', async () => {
  front.fallback(({ name, url }) =>
    url.startsWith('/last/') ? registered(name) : redirect(back.url(`domain/${name}`)),
  );
  back.fallback(({ name }) => redirect(front.url(`last/domain/${name}`)));
  const gateway = await open({ RDAP_CONCURRENCY: '1' });
  const names = [...manyUnder('aa'), ...manyUnder('bb')];
  expect(await answersOf(gateway, ...names)).toEqual(times(names.length, 'registered'));
  expect([front.peakInFlight, back.peakInFlight]).toEqual([1, 1]);
});

it('a registrar’s redirect takes its turn at the host to which it leads', async () => {
  const names = ['own1.aa', 'own2.aa', 'own3.aa'];
  const registrar = cleanup.use(await startFakeRegistry());
  registrar.fallback(({ name }) => redirect(back.url(`domain/${name}`)));
  front.on(/^own/, ({ name }) => registered(name, linkTo(registrar.url(`domain/${name}`))));
  const gateway = await open(await limiting(back, 2), { registrar: registrar.baseUrl });
  const fields = 'registrarRdap { handle } registrarProblem { code }';
  const { data } = await gateway.graphql(
    `{ domains(domains: ${JSON.stringify(names)}) { ${fields} } }`,
  );
  expect(data.domains.filter(({ registrarRdap }: Json) => registrarRdap)).toHaveLength(2);
  const failed = data.domains.filter(({ registrarProblem }: Json) => registrarProblem);
  expect(failed).toEqual([{ registrarRdap: null, registrarProblem: { code: 'registry_busy' } }]);
  expect([registrar.requests.length, back.requests.length]).toEqual([3, 2]);
});
