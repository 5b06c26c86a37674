import { describe, expect, it } from 'vitest';
import { domainObject } from '../support/bodies/domain-object.ts';
import { startFakeRegistry, type FakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateways/gateway.ts';
import { postgresMissing } from '../support/stores/postgres.ts';
import { rdapJson, status } from '../support/bodies/replies.ts';
import { scratch, type Scratch } from '../support/stores/scratch.ts';
import { sharedPostgres } from '../support/stores/shared-postgres.ts';
import { sql } from '../support/stores/sql.ts';
import { bytesOnDisk } from './bytes-on-disk.ts';

const person = 'Grace Hopper';
const registrant = {
  objectClassName: 'entity',
  roles: ['registrant'],
  vcardArray: ['vcard', [['fn', {}, 'text', person]]],
};

/** JSON of members that `JSON.stringify` would write in another way, or that JavaScript treats specially. */
const members: Readonly<Record<string, string>> = {
  numbers: '[1e20,1e400,-0,1.0,9007199254740993,12345678901234567890,12345678901234567890.5]',
  strings: String.raw`["\u0000","\ud800","\r\n  x","\\n  y","\u00e9é😀"]`,
  keys: '{"__proto__":{"handle":"x"},"constructor":1,"1":0,"a":1,"a":2}',
  depth: `${'['.repeat(60)}1e20${']'.repeat(60)}`,
  length: JSON.stringify(Array.from({ length: 30_000 }, (_, index) => `n${index}`)),
};
const forms: Readonly<Record<string, (json: string) => string>> = {
  plain: (json) => json,
  indented: (json) => `\uFEFF${json.replaceAll(/[,{[]/g, '$&\r\n\t').replaceAll('":', '" : ')}\n`,
  misspelled: (json) => json.replace('"events"', '"Events"').replace('"ldhName"', '"ldh_name"'),
};

function bodyOf(name: string, form: string, member: string): string {
  const json = JSON.stringify(domainObject(name, { members: { entities: [registrant] } }));
  return forms[form]?.(`${json.slice(0, -1)},"m":${members[member]}}`) ?? '';
}

const record =
  'rdap { handle ldhName expiresAt events { action date } contacts { name } registrant { name } raw }';
const verdict = 'available status phase checkedAt freshUntil';

const stores = {
  sqlite: (folder: Scratch) => folder.storeUrl,
  postgres: () => sharedPostgres.database(),
};

describe.each(Object.keys(stores) as (keyof typeof stores)[])('a record in %s', (kind) => {
  const isSkipped = kind === 'postgres' && postgresMissing !== undefined;
  it.skipIf(isSkipped)('is read as the registry sent it, until it is deleted', async () => {
    await using registry = await startFakeRegistry();
    await using folder = await scratch();
    const names = answerAll(registry);
    const storeUrl = await stores[kind](folder);
    async function readFrom(recordDays: number, fields: string, isRecord = false) {
      const env = { STORE_URL: storeUrl, RECORD_DAYS: String(recordDays) };
      await using gateway = await startGateway({ registries: { aa: registry.baseUrl }, env });
      return await readAll(gateway, names, fields, isRecord);
    }

    const fresh = await readFrom(30, `${verdict} ${record}`, true);
    expect(await readFrom(30, `${verdict} ${record}`, true)).toEqual(fresh);
    expect(await storesPart(kind, folder, storeUrl, person)).toBe(true);

    const verdicts = await readFrom(30, verdict);
    expect(await readFrom(0, verdict)).toEqual(verdicts);
    expect(registry.requests).toHaveLength(names.length);
    expect(await storesPart(kind, folder, storeUrl, person)).toBe(false);
    expect(await storesPart(kind, folder, storeUrl, 'objectClassName')).toBe(false);
  });

  it.skipIf(isSkipped)('is not stored with RECORD_DAYS=0', async () => {
    await using registry = await startFakeRegistry();
    await using folder = await scratch();
    const names = answerAll(registry);
    const storeUrl = await stores[kind](folder);
    const env = { STORE_URL: storeUrl, RECORD_DAYS: '0' };
    {
      await using gateway = await startGateway({ registries: { aa: registry.baseUrl }, env });
      await readAll(gateway, names, `${verdict} ${record}`, true);
    }
    expect(await storesPart(kind, folder, storeUrl, 'FAKE-plain-depth.aa')).toBe(true); // the handle
    for (const part of [person, 'objectClassName', 'vcardArray', '9007199254740993'])
      expect([part, await storesPart(kind, folder, storeUrl, part)]).toEqual([part, false]);
  });
});

/** Registers names with each form of each member. Returns them. */
function answerAll(registry: FakeRegistry): readonly string[] {
  const all = Object.keys(forms).flatMap((form) =>
    Object.keys(members).map((member) => ({ form, member, name: `${form}-${member}.aa` })),
  );
  for (const { form, member, name } of all)
    registry.on(name, status(200, { 'content-type': rdapJson }, bodyOf(name, form, member)));
  return all.map(({ name }) => name);
}

/** Returns whether the files or the table of a store contain a text. */
async function storesPart(
  kind: keyof typeof stores,
  folder: Scratch,
  storeUrl: string,
  part: string,
): Promise<boolean> {
  if (kind === 'sqlite') return bytesOnDisk(folder.path, 'gateway-answers.db').includes(part);
  const found = await sql(
    storeUrl,
    `SELECT 1 FROM answers WHERE concat(record, summary) LIKE '%${part}%'`,
  );
  return found.length > 0;
}

async function readAll(
  gateway: Gateway,
  names: readonly string[],
  fields: string,
  isRecord: boolean,
): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const name of names) answers.push(await read(gateway, name, fields, isRecord));
  return answers;
}

/** Returns what GraphQL and, for a record, REST answer, but for what says that it is stored. */
async function read(gateway: Gateway, name: string, fields: string, isRecord: boolean) {
  const { data, errors } = await gateway.graphql(`{ domain(name: "${name}") { ${fields} } }`);
  expect([name, errors]).toEqual([name, undefined]);
  if (!isRecord) return data;
  const text = await (await gateway.fetch(`/v1/rdap?domain=${name}`)).text();
  return [data, text.replaceAll(/"(?:cached|latency_ms)":(?:true|false|\d+)/g, '')];
}
