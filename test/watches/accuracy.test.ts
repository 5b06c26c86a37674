import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/clock.ts';
import { forThisTest } from '../support/for-this-test.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway, type Json } from '../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../support/time/jumping-clock.ts';
import { notFound, registered } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const hour = 60 * 60_000;
const names = Array.from({ length: 60 }, (_, index) => `name${index}.shop`);
/** The registry has lost these, 5 % of what is asked. */
const lost = new Set([names[7], names[23], names[42]]);

/** The rounds of ten seconds follow each other at once. */
const after: Clock['after'] = (ms, run) => systemClock.after(ms === 10_000 ? 100 : ms, run);

let registry: FakeRegistry;
let clock: JumpingClock;
let isRestored: boolean;
/** The registration date of what the registry finds again. */
let createdAt: string;

beforeEach(async () => {
  clock = jumpingClock({ ...systemClock, after });
  registry = await forThisTest(startFakeRegistry);
  isRestored = false;
  createdAt = '2001-02-03T04:05:06Z';
  registry.on(/^name/, ({ name }) =>
    isRestored && lost.has(name) ? registered(name, { createdAt }) : notFound(),
  );
  registry.on(/^(?:nic|google)\./, ({ name }) => registered(name));
});

/** Starts a gateway on the store of the test. What is due is judged when it starts. */
async function start(folder: string, share = '1'): Promise<Gateway> {
  return startGateway({
    clock,
    registries: { shop: registry.baseUrl },
    env: { STORE_URL: `sqlite:${folder}/gateway.db`, ACCURACY_SAMPLE: share, RDAP_RATE: '400' },
  });
}

/** Due names are read every ten seconds, and on a busy machine it takes several rounds to judge all. */
const soon = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 40_000 });
const rowsOf = async (gateway: Gateway): Promise<Json> =>
  (await gateway.get('/v1/accuracy')).results;

/** Asks for all names, and judges them again after each of the delays. Returns the rows. */
async function judgeAfter(delays: readonly number[], sampled: number): Promise<Json> {
  const { path } = await forThisTest(scratch);
  {
    await using gateway = await start(path);
    const { results } = await gateway.get(`/v1/status?domain=${names.slice(0, 50).join(',')}`);
    expect(results.every(({ available }: Json) => available)).toBe(true);
    await gateway.get(`/v1/status?domain=${names.slice(50).join(',')}`);
    // A cached answer is no further sample, and nothing is due yet.
    await gateway.get(`/v1/status?domain=${names[0]}`);
    expect(await rowsOf(gateway)).toEqual([]);
  }
  isRestored = true;
  let rows: Json = [];
  for (const delay of delays) {
    clock.advance(delay);
    await using gateway = await start(path);
    await soon(async () => (await rowsOf(gateway))[0]?.sampled ?? 0).toBe(sampled);
    rows = await rowsOf(gateway);
    const { data } = await gateway.graphql(
      '{ tlds(search: "shop") { nodes { label accuracy { sampled contradicted upperBound since } } } }',
    );
    const { accuracy } = data.tlds.nodes.find(({ label }: Json) => label === 'shop');
    if (rows[0]) expect(accuracy).toMatchObject({ sampled, upperBound: rows[0].upper_bound });
    const page = await (await gateway.fetch('/accuracy')).text();
    expect(page).toContain(`${rows[0].contradicted} of ${sampled} wrong: `);
    expect(page.match(/class="mark said"/g)).toHaveLength(1);
    expect(page).not.toMatch(/<script|NaN|undefined/);
    const metrics = await (await gateway.fetch('/metrics')).text();
    expect(metrics).toContain(`rdap_accuracy_sampled_total{tld="shop"} ${sampled}`);
    expect(metrics).toContain(
      `rdap_accuracy_contradicted_total{tld="shop"} ${rows[0].contradicted}`,
    );
  }
  return rows;
}

describe('the sample of available answers', { timeout: 120_000 }, () => {
  it('finds every registration that a registry had lost, also after restarts', async () => {
    const rows = await judgeAfter([hour + 1000, 23 * hour], names.length);
    expect(rows).toEqual([
      {
        tld: 'shop',
        sampled: names.length,
        contradicted: lost.size,
        upper_bound: expect.closeTo(0.1392, 3),
        since: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it('counts no registration that is later than the answer', async () => {
    createdAt = new Date(clock.now() + hour / 2).toISOString();
    const [row] = await judgeAfter([hour + 1000], names.length);
    expect(row).toMatchObject({ contradicted: 0, upper_bound: expect.closeTo(0.0596, 3) });
  });

  it('does not count the day of the answer if the registry states no time', async () => {
    createdAt = `${new Date(clock.now()).toISOString().slice(0, 10)}T00:00:00Z`;
    const [row] = await judgeAfter([hour + 1000], names.length);
    expect(row).toMatchObject({ contradicted: 0 });
  });

  it('is empty by default, and refuses other shares', async () => {
    const { path } = await forThisTest(scratch);
    {
      await using gateway = await start(path, '0');
      await gateway.get(`/v1/status?domain=${names[0]}`);
    }
    clock.advance(2 * hour);
    await using gateway = await start(path, '0');
    expect(await rowsOf(gateway)).toEqual([]);
    expect(await (await gateway.fetch('/accuracy')).text()).toContain(
      'No answers have been judged',
    );
    await expect(start(path, '2')).rejects.toThrow(/ACCURACY_SAMPLE/);
  });
});
