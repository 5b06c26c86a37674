import { expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startMeteredGateway } from '../../support/gateways/metered-gateway.ts';
import { seededRandom } from '../../support/time/random.ts';
import { registered } from '../../support/bodies/replies.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const gateway = await forThisFile(startMeteredGateway);
const customer = await gateway.newCustomer();

async function dataOf(query: string) {
  const { data, errors } = await (await customer.graphql(query, {})).json();
  expect(errors).toBeUndefined();
  return data;
}

const selections = [
  'handle statuses nameservers',
  'statuses handle: statuses',
  'id source raw',
  'id source raw registrar { name abuseEmail }',
  'hosts { name ipv4 addresses { ip } } dnssec { signed }',
  'events { action date } createdAt confidence',
  'nameservers maxAge: handle registrar { entity { handle } }',
] as const;

/** The JSON of a record is kept with the record; with a directive, it is always made anew. */
it(`returns the record as it is now, whatever was selected before, FUZZ_SEED=${seed}`, async () => {
  const random = seededRandom(seed);
  const names = ['kept-a.example', 'kept-b.example'] as const;
  const handles = new Map<string, string>();
  const refresh = async (name: string, version: number) => {
    const members = { handle: `V${version}`, remarks: [{ description: [`"${version}" \\ é`] }] };
    const statuses = version % 2 === 0 ? ['active'] : ['client hold', 'locked'];
    gateway.registry.on(name, registered(name, { statuses, members }));
    await dataOf(`{ domain(name: "${name}", maxAge: 0) { rdap { handle } } }`);
    handles.set(name, `V${version}`);
  };
  for (const [index, name] of names.entries()) await refresh(name, index);

  for (let round = 0; round < 150; round++) {
    const name = random.pick(names);
    if (random.chance(0.2)) await refresh(name, round);

    const selection = random.pick(selections);
    const field = random.pick(['rdap', 'registration']);
    const maxAge = random.pick(['', ', maxAge: 100', ', maxAge: 3600']);
    const query = (directive: string) =>
      `{ domain(name: "${name}"${maxAge}) { ${field}${directive} { now: handle ${selection} } } }`;
    const data = await dataOf(query(''));
    const anew = await dataOf(query(' @include(if: true)'));

    expect([query(''), JSON.stringify(data)]).toEqual([query(''), JSON.stringify(anew)]);
    expect(data.domain[field].now).toBe(handles.get(name));
  }
});
