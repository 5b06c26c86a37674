import { describe, expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { frozenClock } from '../../support/time/frozen-clock.ts';
import { startMeteredGateway, type Customer } from '../../support/gateways/metered-gateway.ts';
import type { Json } from '../../support/gateways/gateway.ts';
import { registered } from '../../support/bodies/replies.ts';
import { scrape, since } from '../../support/checks/scrape.ts';

const metered = await forThisFile(startMeteredGateway, { clock: frozenClock() });
const customers = [await metered.newCustomer(), await metered.newCustomer()];

const used = () => Promise.all(customers.map(async (customer) => (await customer.balance()).used));

describe('identical requests', () => {
  const query =
    'query ($name: String!, $age: Int) { domain(name: $name, maxAge: $age) { available } }';
  const endpoints: Record<
    string,
    (customer: Customer, name: string, age: number) => Promise<Response>
  > = {
    '/v1/status': (customer, name, age) =>
      customer.fetch(`/v1/status?domain=${name}&max_age=${age}`),
    '/v1/rdap': (customer, name, age) => customer.fetch(`/v1/rdap?domain=${name}&max_age=${age}`),
    '/graphql': (customer, name, age) => customer.graphql(query, { name, age }),
  };

  it.each(Object.entries(endpoints))(
    'each query the registry with a maximum age of 0: %s',
    async (path, send) => {
      const name = `news${path.replace(/\W/g, '')}.example`;
      const availableTo = async (customer: Customer) =>
        /"available":(true|false)/.exec(await (await send(customer, name, 0)).text())?.[1];
      const [customer] = customers as [Customer];
      for (let again = 0; again < 3; again += 1) expect(await availableTo(customer)).toBe('true');
      metered.registry.on(name, registered(name));
      expect(await availableTo(customer)).toBe('false');
    },
  );

  it.each(Object.entries(endpoints))('are each charged to their sender: %s', async (path, send) => {
    const name = `charged${path.replace(/\W/g, '')}.example`;
    const [first = 0, second = 0] = await used();
    const costs: (string | null)[] = [];
    for (const customer of [...customers, ...customers])
      costs.push((await send(customer, name, 3600)).headers.get('x-credits-charged'));
    const price = Number(costs[0]);
    expect([price > 0, new Set(costs).size]).toEqual([true, 1]);
    expect(await used()).toEqual([first + 2 * price, second + 2 * price]);
  });

  it('are charged once each if one of their fields fails', async () => {
    const [customer] = customers as [Customer];
    const twice =
      '{ good: domain(name: "good.example") { available } bad: domains(name: "a") { available } }';
    const responses: Json[] = [];
    const [before = 0] = await used();
    for (let again = 0; again < 4; again += 1)
      responses.push(await (await customer.graphql(twice, {})).json());
    expect(responses.map(({ data, errors }) => [data, errors[0].path])).toEqual(
      responses.map(() => [{ good: { available: true }, bad: null }, ['bad']]),
    );
    expect(responses.map(({ extensions }) => extensions.cost.charged)).toEqual([1, 1, 1, 1]);
    expect([(await used())[0], metered.openReservations()]).toEqual([before + 4, 0]);
  });

  it('return what another request has learned in the meantime', async () => {
    const [customer] = customers as [Customer];
    const statusAt = async (path: string) =>
      (await (await customer.fetch(path)).json()).results[0].status;
    const path = '/v1/status?name=meanwhile&tlds=example';
    expect(await statusAt(path)).toBe('available');
    expect(await statusAt(path)).toBe('available');
    expect(await statusAt(path)).toBe('available');
    metered.registry.on('meanwhile.example', registered('meanwhile.example'));
    expect(await statusAt('/v1/status?domain=meanwhile.example&max_age=0')).toBe('registered');
    expect([await statusAt(path), await statusAt(path)]).toEqual(['registered', 'registered']);
  });

  it('get equal responses, and others get their own, in any order', async () => {
    const [customer] = customers as [Customer];
    const paths = [
      'name=spelled&tlds=example',
      'domain=spelled.example',
      'domain=SPELLED.example&max_age=60',
      'domain=spelled.example&x=1',
    ];
    const responseTo = async (path: string) => {
      const response = await customer.fetch(`/v1/status?${path}`);
      const { latency_ms: took, meta, ...body } = await response.json();
      expect([took, meta.duration_ms]).toEqual([expect.any(Number), took]);
      return {
        body,
        headers: ['etag', 'cache-control', 'x-credits-charged'].map((name) =>
          response.headers.get(name),
        ),
      };
    };
    await responseTo(paths[0] ?? '');
    // Each path for the first time, then each twice.
    const first = [];
    for (const path of paths) first.push(await responseTo(path));
    const again = [];
    for (const path of paths) again.push(await responseTo(path), await responseTo(path));
    expect(again).toEqual(first.flatMap((one) => [one, one]));
    const tags = new Map(first.map(({ body, headers }) => [body.results[0].input, headers[0]]));
    expect([tags.size, new Set(tags.values()).size]).toEqual([3, 3]);
  });

  it('are all counted among the verdicts', async () => {
    const [customer] = customers as [Customer];
    const path = '/v1/status?domain=counted.example';
    await customer.fetch(path);
    await customer.fetch(path);
    const before = await scrape(metered.gateway);
    for (let more = 0; more < 3; more += 1) await customer.fetch(path);
    const counted = since(before, await scrape(metered.gateway));
    expect(counted('rdap_gateway_verdicts_total', { verdict: 'AVAILABLE', source: 'cache' })).toBe(
      3,
    );
  });

  it('are distinguished by the Service-Naming header', async () => {
    const [customer] = customers as [Customer];
    metered.registry.on('taken.example', registered('taken.example', { members: { someKey: 1 } }));
    const keysWith = async (headers: Record<string, string>) => {
      const { rdap } = await (
        await customer.fetch('/v1/rdap?domain=taken.example', { headers })
      ).json();
      return Object.keys(rdap);
    };
    expect(await keysWith({})).toContain('someKey');
    expect(await keysWith({ 'service-naming': 'snake' })).toContain('some_key');
    expect(await keysWith({})).toContain('someKey');
    const wrong = await customer.fetch('/v1/rdap?domain=taken.example', {
      headers: { 'service-naming': 'undefined' },
    });
    expect(wrong.status).toBe(400);
  });
});
