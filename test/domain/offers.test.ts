import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startMeteredGateway } from '../support/gateways/metered-gateway.ts';
import { registered } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const folder = await forThisFile(scratch);
const registry = await forThisFile(startFakeRegistry);
registry.on(/^(?:nic|taken)\./, ({ name }) => registered(name));

const header = 'tld,seller,register,renew,currency,url';
const line = (changes: Readonly<Record<string, string>> = {}) =>
  Object.values({
    tld: 'com',
    seller: 'Registrar',
    register: '9.99',
    renew: '14.99',
    currency: 'USD',
    url: 'https://registrar.example/buy?d={name}',
    ...changes,
  }).join(',');

async function writeList(text: string | Uint8Array, name = 'offers.csv'): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
}

async function open(text: string | Uint8Array, env: Readonly<Record<string, string>> = {}) {
  const served = ['com', 'uk', 'xn--p1ai', 'google'];
  return startGateway({
    registries: Object.fromEntries(served.map((tld) => [tld, registry.baseUrl])),
    env: { OFFERS_FILE: await writeList(text), ...env },
  });
}

const selection = 'offers { seller register { amount currency } renew { amount currency } url }';

async function offersOf(gateway: { graphql: (query: string) => Promise<Json> }, name: string) {
  const { data } = await gateway.graphql(`{ domain(name: "${name}") { ${selection} } }`);
  return data.domain.offers;
}

const offer = (name: string, seller = 'Registrar', amount = '9.99', currency = 'USD') => ({
  seller,
  register: { amount, currency },
  renew: { amount: '14.99', currency },
  url: `https://registrar.example/buy?d=${name}`,
});

const offersIn = ({ results }: Json) => results.map(({ offers }: Json) => offers);
const json = (entry: unknown) => JSON.stringify([entry]);

describe('the offers of a price list', () => {
  it('are those of available names, in GraphQL and REST, the cheapest first', async () => {
    const rows = [
      line({ seller: 'Dear', register: '10.00' }),
      line({ seller: 'Euros', register: '0.5', currency: 'EUR' }),
      line(),
    ];
    await using gateway = await open([header, ...rows].join('\n'));
    const expected = [
      offer('free.com'),
      offer('free.com', 'Dear', '10.00'),
      offer('free.com', 'Euros', '0.5', 'EUR'),
    ];
    expect(await offersOf(gateway, 'free.com')).toEqual(expected);
    expect(await offersOf(gateway, 'taken.com')).toBeNull();
    expect(await offersOf(gateway, 'idea.google')).toBeNull();
    expect(await offersOf(gateway, 'free.uk')).toEqual([]);

    const names = ['free.com', 'taken.com', 'idea.google', 'free.uk', 'b_d.com'];
    const ofRows = [expected, undefined, undefined, undefined, undefined];
    expect(offersIn(await gateway.get(`/v1/status?domain=${names.join(',')}`))).toEqual(ofRows);
    const bulk = await gateway.post('/v1/status/bulk', { domains: names });
    expect(offersIn(await bulk.json())).toEqual(ofRows);
    expect((await gateway.get('/v1/rdap?domain=free.com')).offers).toEqual(expected);
  });

  it('are those of the exact suffix, in any spelling of it', async () => {
    const tlds = ['.CO.UK', 'рф', 'test'];
    await using gateway = await open([header, ...tlds.map((tld) => line({ tld }))].join('\n'));
    for (const name of ['free.co.uk', 'xn--80a1acny.xn--p1ai', 'free.test'])
      expect(await offersOf(gateway, name)).toEqual([offer(name)]);
    expect(await offersOf(gateway, 'free.uk')).toEqual([]);
  });

  it('cost nothing', async () => {
    const OFFERS_FILE = await writeList(`${header}\n${line({ tld: 'example' })}`);
    await using metered = await startMeteredGateway({ env: { OFFERS_FILE } });
    const customer = await metered.newCustomer();
    const costOf = async (name: string, fields: string) => {
      const query = `{ domain(name: "${name}.example") { available ${fields} } }`;
      const response = await customer.graphql(query);
      return response.headers.get('x-credits-charged');
    };
    expect(await costOf('one', selection)).toBe(await costOf('two', ''));
  });

  it('of a JSON list may have amounts as numbers', async () => {
    const { seller, url } = offer('{name}');
    const entry = { tld: 'com', seller, register: 9.99, renew: '14.99', currency: 'USD', url };
    await using gateway = await open(`\ufeff\r\n${JSON.stringify([entry])}`);
    expect(await offersOf(gateway, 'free.com')).toEqual([offer('free.com')]);
  });

  it.each([
    ['a byte order mark and CRLF', `\ufeff${header}\r\n${line()}\r\n`],
    ['quotation marks', `"${header.replaceAll(',', '","')}"\n${line({ seller: '"Registrar"' })}`],
    ['spaces and blank records', `\n${header.replaceAll(',', ' , ')} \n,,,,,\n${line()}\n\n`],
    [
      'other columns first',
      `URL,currency,renew,register,seller,tld\n${line().split(',').toReversed().join(',')}`,
    ],
  ])('are read from CSV with %s', async (_what, text) => {
    await using gateway = await open(text);
    expect(await offersOf(gateway, 'free.com')).toEqual([offer('free.com')]);
  });

  it('keep commas, quotation marks and line breaks of a cell', async () => {
    const text = `${header}\n${line({ seller: '"A ""B"", C"' })}\n${line({ seller: '"D\n"' })}`;
    await using gateway = await open(text);
    const sellers = (await offersOf(gateway, 'free.com')).map(({ seller }: Json) => seller);
    expect(sellers).toEqual(['A "B", C', 'D']);
  });

  it('may be 100,000, of which a name has the first 50', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) =>
      line({ seller: `Seller ${index}`, register: `${100_000 - index}` }),
    );
    await using gateway = await open([header, ...rows].join('\n'));
    const offers = await offersOf(gateway, 'free.com');
    expect(offers).toHaveLength(50);
    expect(offers.slice(0, 2).map(({ register }: Json) => register.amount)).toEqual(['1', '2']);
  });
});

describe('OFFERS_FILE is rejected', () => {
  const list = (changes: Readonly<Record<string, string>>) =>
    `${header}\n${line({ tld: 'net' })}\n${line(changes)}\n`;
  const amount = 'must be an amount that is not negative, such as 9.99';
  const suffix = 'must be a TLD or a suffix under which names are registered, such as com or co.uk';
  const link = 'must be an https: URL without a user name, with {name} in place of the name';

  const invalid: readonly (readonly [text: string | Uint8Array, message: string])[] = [
    [list({ register: '-1' }), `row 2 (line 3): register ${amount}, got "-1"`],
    [list({ renew: '1e3' }), `row 2 (line 3): renew ${amount}, got "1e3"`],
    [list({ renew: '' }), `row 2 (line 3): renew ${amount}, got ""`],
    [list({ register: '9.12345' }), `row 2 (line 3): register ${amount}, got "9.12345"`],
    [list({ register: '"9,99"' }), `row 2 (line 3): register ${amount}, got "9,99"`],
    [list({ currency: 'usd' }), 'row 2 (line 3): currency must be a code of ISO 4217'],
    [list({ currency: '€' }), 'row 2 (line 3): currency must be a code of ISO 4217'],
    [list({ tld: 'no-such-tld' }), `row 2 (line 3): tld ${suffix}, got "no-such-tld"`],
    [list({ tld: 'shop.com' }), `row 2 (line 3): tld ${suffix}, got "shop.com"`],
    [list({ tld: 'c_m' }), `row 2 (line 3): tld ${suffix}, got "c_m"`],
    [list({ tld: '' }), `row 2 (line 3): tld ${suffix}, got ""`],
    [list({ seller: ' ' }), 'row 2 (line 3): seller must be a name of 1 to 100 characters'],
    [list({ tld: '.NET' }), 'row 2 (line 3): seller "Registrar" is listed twice for .net'],
    [list({ tld: 'NET', seller: 'registrar' }), 'seller "registrar" is listed twice for .net'],
    [list({ url: 'http://a.example/{name}' }), `row 2 (line 3): url ${link}`],
    [list({ url: 'javascript:alert(1)' }), `row 2 (line 3): url ${link}`],
    [list({ url: 'https://a:b@c.example/' }), `row 2 (line 3): url ${link}`],
    [list({ url: 'https://a.example/{domain}' }), `row 2 (line 3): url ${link}`],
    [list({ url: '' }), `row 2 (line 3): url ${link}`],
    [`${header}\ncom,A,1,2\n`, 'row 1 (line 2) must have 6 cells, got 4'],
    [`${header}\n${line({ seller: 'A "B"' })}`, 'line 2: quotation marks must be around a whole'],
    [`${header}\n${line({ seller: '"A' })}`, 'line 2: quotation marks must be around a whole'],
    [
      `${header},note\n${line()},x`,
      `the first line must name the columns ${header.replaceAll(',', ', ')}`,
    ],
    [line(), 'the first line must name the columns'],
    [header.replaceAll(',', ';'), 'the first line must name the columns'],
    ['', 'the first line must name the columns'],
    ['{"com": []}', 'it must be a list of objects with tld, seller'],
    ['[\n1\n,]', 'Unexpected token'],
    [json(null), `row 1: tld ${suffix}, got "null"`],
    [list({ tld: 'a..b' }), `row 2 (line 3): tld ${suffix}, got "a..b"`],
    [json({}), `row 1: tld ${suffix}, got "null"`],
    [
      json({ tld: 'com', seller: 7 }),
      'row 1: seller must be a name of 1 to 100 characters, got "7"',
    ],
    [Uint8Array.of(0xe9, 0x0a), 'not valid for encoding utf-8'],
  ];

  it.each(invalid.map(([text, message]) => [message, text] as const))(
    '%s',
    async (message, text) => {
      const path = join(folder.path, 'offers.csv');
      const error: Error = await open(text).then(
        () => expect.unreachable(),
        (thrown: Error) => thrown,
      );
      expect(error.name).toBe('ConfigError');
      expect(error.message).toContain(
        `OFFERS_FILE must name a valid price list, got ${JSON.stringify(path)}. It cannot be read: `,
      );
      expect(error.message).toContain(message);
      expect(error.message).not.toMatch(/[\r\n]| Error:/);
    },
  );

  it('if it cannot be read', async () => {
    const missing = join(folder.path, 'missing.csv');
    await expect(open('', { OFFERS_FILE: missing })).rejects.toThrow('no such file');
  });
});
