import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { domainObject } from '../support/domain-object.ts';
import { startFakeRegistry } from '../support/fake-registry.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { postgresMissing } from '../support/postgres.ts';
import { rdapJson, status } from '../support/replies.ts';
import { scratch, type Scratch } from '../support/scratch.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { sql } from '../support/sql.ts';

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
    const names: string[] = [];
    for (const form of Object.keys(forms))
      for (const member of Object.keys(members)) {
        const name = `${form}-${member}.aa`;
        names.push(name);
        registry.on(name, status(200, { 'content-type': rdapJson }, bodyOf(name, form, member)));
      }
    const storeUrl = await stores[kind](folder);
    async function readFrom(recordDays: number, fields: string, isRecord = false) {
      const env = { STORE_URL: storeUrl, RECORD_DAYS: String(recordDays) };
      await using gateway = await startGateway({ registries: { aa: registry.baseUrl }, env });
      const answers: unknown[] = [];
      for (const name of names) answers.push(await read(gateway, name, fields, isRecord));
      return answers;
    }

    const fresh = await readFrom(30, `${verdict} ${record}`, true);
    expect(await readFrom(30, `${verdict} ${record}`, true)).toEqual(fresh);

    const verdicts = await readFrom(30, verdict);
    expect(await readFrom(0, verdict)).toEqual(verdicts);
    expect(registry.requests).toHaveLength(names.length);
    const left =
      kind === 'sqlite'
        ? readdirSync(folder.path).filter((file) =>
            readFileSync(join(folder.path, file)).includes(person),
          )
        : await sql(
            storeUrl,
            `SELECT 1 FROM answers WHERE concat(record, summary) LIKE '%${person}%'`,
          );
    expect(left).toEqual([]);
  });
});

/** Returns what GraphQL and, for a record, REST answer, but for what says that it is stored. */
async function read(gateway: Gateway, name: string, fields: string, isRecord: boolean) {
  const { data, errors } = await gateway.graphql(`{ domain(name: "${name}") { ${fields} } }`);
  expect([name, errors]).toEqual([name, undefined]);
  if (!isRecord) return data;
  const text = await (await gateway.fetch(`/v1/rdap?domain=${name}`)).text();
  return [data, text.replaceAll(/"(?:cached|latency_ms)":(?:true|false|\d+)/g, '')];
}
