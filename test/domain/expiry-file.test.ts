import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { registered } from '../support/bodies/replies.ts';
import { scratch } from '../support/stores/scratch.ts';

const folder = await forThisFile(scratch);
const registry = await forThisFile(startFakeRegistry);
registry.on(/./, ({ name }) => registered(name));
let files = 0;

async function gatewayWith(text: string) {
  const path = join(folder.path, `expiries-${++files}`);
  await writeFile(path, text);
  return startGateway({ env: { EXPIRY_FILE: path }, registries: { example: registry.baseUrl } });
}

const json = JSON.stringify([
  { name: 'Taken-Own.test', date: '2031-02-28', note: 'paid until 2031' },
  { name: 'bücher.example', date: '2031-02-28T01:00:00+01:00' },
  { name: 'free.test', date: '2031-02-28' },
]);
const csv = '\ufeffdate,Name,note\r\n2031-02-28,taken-own.test,"paid until 2031"\r\n';

const seconds = (iso: string) => Date.parse(iso) / 1000;

describe('EXPIRY_FILE', () => {
  it.each([
    ['JSON', json],
    ['CSV', csv],
  ])('as %s has dates of the operator, which are never the registry’s', async (_form, text) => {
    await using gateway = await gatewayWith(text);
    const read = (name: string): Promise<Json> =>
      gateway.get(`/v1/rdap?domain=${name}&timeline=true`);
    const { timeline, registration } = await read('taken-own.test');
    const date = '2031-02-28T00:00:00.000Z';
    expect(registration.expires_at).not.toBe(date);
    const dates = timeline.filter(({ event }: Json) => event === 'expires');
    expect(dates.map(({ event: _event, ...entry }: Json) => Object.values(entry))).toEqual([
      [registration.expires_at, registration.expires_at, 'rdap', 'registry'],
      [date, date, 'operator: paid until 2031', 'estimate'],
    ]);
    const [grace] = timeline.filter(({ event }: Json) => event === 'grace');
    expect(grace).toMatchObject({ from: date, certainty: 'estimate' });
    expect(grace.source).toContain('from the date of the operator');

    const probe = await (await gateway.fetch('/probe?target=taken-own.test')).text();
    expect(probe).toContain(
      `\nrdap_domain_expiry_timestamp_seconds ${seconds(registration.expires_at)}`,
    );
    expect(probe).toContain(`\nrdap_domain_operator_expiry_timestamp_seconds ${seconds(date)}`);
    const other = await (await gateway.fetch('/probe?target=taken.test')).text();
    expect(other).not.toContain('operator_expiry');
  });

  it('applies to internationalized names, and not to unregistered ones', async () => {
    await using gateway = await gatewayWith(json);
    const { timeline } = await gateway.get('/v1/rdap?domain=b%C3%BCcher.example&timeline=true');
    expect(timeline).toContainEqual(
      expect.objectContaining({ source: 'operator', from: '2031-02-28T00:00:00.000Z' }),
    );
    const free = await gateway.get('/v1/rdap?domain=free.test&timeline=true');
    expect(free).toMatchObject({ available: true, timeline: null });
  });

  it.each([
    ['[{"name":"a.com","date":"2027-02-30"}]', 'row 1: date must be a day'],
    ['[{"name":"a.com","date":"31.12.2027"}]', 'row 1: date must be a day'],
    ['[{"name":"a.com","date":"2027-01-01T25:00:00Z"}]', 'row 1: date must be a day'],
    ['[{"name":"a.com","date":1830000000}]', 'row 1: date must be a text'],
    ['[{"name":"a.com"}]', 'row 1: date must be a text'],
    ['[{"name":"com","date":"2027-01-01"}]', 'row 1: name must be a domain name'],
    ['[{"name":"a.com","date":"2027-01-01","notes":""}]', 'row 1: "notes" is unknown'],
    ['[{"name":"a.com","date":"2027-01-01"},7]', 'row 2'],
    ['{"a.com":"2027-01-01"}', 'it must be a list'],
    [
      'name,date\na.com,2027-01-01\nA.COM,2027-01-02',
      'row 2 (line 3): name "a.com" is listed twice',
    ],
    ['name,date,note\na.com,2027-01-01', 'row 1 (line 2) must have 3 cells, got 2'],
    ['name,until\na.com,2027-01-01', 'the first line must name the columns name, date, note'],
    [`name,date,note\na.com,2027-01-01,${'x'.repeat(201)}`, 'row 1 (line 2): note must be'],
  ])('%j is rejected in one line', async (text, message) => {
    const error: Error = await gatewayWith(text).then(
      () => Promise.reject(new Error('It started.')),
      (reason: Error) => reason,
    );
    expect(error.name).toBe('ConfigError');
    expect(error.message).toMatch(/^EXPIRY_FILE must name a valid .* got "[^"]+"\. .*$/);
    expect(error.message).toContain(message);
  });
});
