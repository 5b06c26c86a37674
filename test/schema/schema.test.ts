import { readFileSync } from 'node:fs';
import {
  buildSchema,
  defaultFieldResolver,
  isObjectType,
  Kind,
  type GraphQLResolveInfo,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { printedSchema } from '../../scripts/print-schema.ts';
import { prices } from '../../src/execution/charging/prices.ts';
import { factsOf } from '../../src/execution/field-facts.ts';
import { features } from '../../src/sites/features.ts';
import { creditsPerMonth } from '../../src/watches/watch-rows.ts';
import { SiteLookups } from '../../src/sites/site-lookups.ts';
import { schema } from '../../src/app/schema.ts';
import { tldSets } from '../../src/domain/names/tld-sets.ts';

const printed = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');

/** The order of definitions follows that of imports, which the test files before this one may change. */
const sortedLines = (text: string) => text.split('\n').toSorted();

describe('schema.graphql', () => {
  it('is up to date (`npm run schema` prints it)', async () => {
    expect(sortedLines(printed)).toEqual(sortedLines(await printedSchema()));
  });

  it('describes its purpose, and lists the TLD sets wherever one is accepted', () => {
    const { description, query, subscription } = buildSchema(printed).toConfig();
    expect(description).toContain('over RDAP');
    const [queries, subscriptions] = [query, subscription].map((type) => type?.getFields());
    const descriptions = [
      queries?.['tlds']?.description,
      queries?.['tlds']?.args.find(({ name }) => name === 'set')?.description,
      ...[queries?.['domains'], subscriptions?.['availability']].map(
        (field) => field?.args.find(({ name }) => name === 'tlds')?.description,
      ),
    ];
    for (const set of Object.keys(tldSets)) {
      expect(descriptions).toEqual(
        Array.from(descriptions, () => expect.stringContaining(`\`@${set}\``)),
      );
    }
  });

  it('describes each type, field, argument and value', () => {
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    const withoutText = types.flatMap((type) => {
      const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
      const args = fields.flatMap((field) => ('args' in field ? field.args : []));
      const values = 'getValues' in type ? type.getValues() : [];
      return [type, ...fields, ...args, ...values].filter(({ description }) => !description);
    });
    expect(withoutText.map(String)).toEqual([]);
  });

  it('lists exactly the fields of a row that are computed without a lookup', () => {
    const type = schema.getType('Domain');
    if (!isObjectType(type)) throw new Error('Domain is an object');
    const localFields = Object.values(type.getFields()).filter(
      ({ name, resolve = defaultFieldResolver }) => {
        let lookedUp = false;
        const lookUp = () => {
          lookedUp = true;
          return new Promise(() => {});
        };
        const row = {
          domain: 'a.test',
          unicodeName: 'a.test',
          name: 'a',
          tld: 'test',
          inputs: ['a.test'],
          registrableName: () => null,
          outcome: lookUp,
        };
        const sites: SiteLookups = Object.create(SiteLookups.prototype, {
          get: { value: lookUp },
          now: { value: () => 0 },
          disposableMail: { value: { find: lookUp } },
        });
        const context = { lookup: { registrarRecord: lookUp }, extensions: () => [sites] };
        void resolve(row, { profile: 'STANDARD' }, context, {
          fieldName: name,
        } as GraphQLResolveInfo);
        return !lookedUp;
      },
    );
    const [listed] = type.description?.split('are computed locally') ?? [];
    expect(listed?.match(/`\w+`/g)).toEqual(localFields.map(({ name }) => `\`${name}\``));
    const statedAsLocal = Object.values(type.getFields()).filter(
      (field) => factsOf(field).reads === 'name',
    );
    expect(statedAsLocal).toEqual(localFields);
  });

  it.each([
    ['Query', 'domain', prices.single(1), undefined],
    ['Query', 'domains', prices.single(1), 50],
    ['Query', 'ip', prices.object(1), undefined],
    ['Query', 'page', features.page.lookup.price, undefined],
    ['Query', 'account', undefined, undefined],
    ['Query', 'watches', undefined, 100],
    ['Domain', 'registration', prices.record(1) - prices.single(1), undefined],
    ['Domain', 'tls', features.tls.lookup.price, undefined],
    ['Host', 'tls', features.tls.lookup.price, undefined],
    ['IpAddress', 'network', prices.object(1), undefined],
    ['Mutation', 'watch', creditsPerMonth, 50],
  ])('states the price of %s.%s: %s, for %s items', (typeName, fieldName, weight, assumedSize) => {
    const type = buildSchema(printed).getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName]?.astNode : undefined;
    const valueOf = (directive: string, argument: string) => {
      const found = field?.directives?.find(({ name }) => name.value === directive);
      const value = found?.arguments?.find(({ name }) => name.value === argument)?.value;
      return value?.kind === Kind.INT ? Number(value.value) : undefined;
    };
    expect(valueOf('cost', 'weight')).toEqual(weight);
    expect(valueOf('listSize', 'assumedSize')).toEqual(assumedSize);
  });

  it('states a price for each field of a name that reads its record', () => {
    const type = schema.getType('Domain');
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    const ofRecord = fields.filter((field) =>
      ['record', 'rdap', 'registrar'].includes(factsOf(field).reads ?? ''),
    );
    expect(ofRecord.map(({ name }) => name)).toContain('registration');
    expect(ofRecord.filter((field) => !factsOf(field).cost).map(({ name }) => name)).toEqual([]);
  });

  it('has @defer but not @stream', () => {
    expect(printed).toContain('directive @defer');
    expect(printed).not.toContain('@stream');
  });

  // The signatures in the API contract.
  it.each([
    ['Query', 'domain', '(name: String!, tld: String, maxAge: Int): Domain'],
    [
      'Query',
      'domains',
      '(by: DomainsBy, name: String, tlds: [String!], domains: [String!], maxAge: Int, confirm: Confirm, budgetMs: Int): [Domain!]',
    ],
    [
      'Subscription',
      'availability',
      '(by: DomainsBy, name: String, tlds: [String!], domains: [String!], maxAge: Int, confirm: Confirm): Domain!',
    ],
    ...fieldsOf(
      'Domain',
      'id: ID!, domain: String!, unicodeName: String!, name: String!, tld: String!, available: Boolean, reason: String',
    ),
    ...fieldsOf(
      'Domain',
      'status: DomainStatus!, source: String, rdapEndpoint: String, cached: Boolean!, stale: Boolean!',
    ),
    ...fieldsOf('Domain', 'checkedAt: DateTime, latencyMs: Float!, rdap: Registration'),
    ...fieldsOf(
      'Registration',
      'id: ID!, handle: String, ldhName: String, unicodeName: String, nameservers: [String!]!, statuses: [String!]!',
    ),
    ...fieldsOf(
      'Registration',
      'hosts: [Nameserver!]!, registrar: Registrar, registrant: Contact, contacts: [Contact!]!, events: [Event!]!',
    ),
    ...fieldsOf(
      'Registration',
      'createdAt: DateTime, updatedAt: DateTime, expiresAt: DateTime, dnssec: Dnssec!, redacted: [Redaction!]!, raw: JSON',
    ),
  ])('has %s.%s%s', (typeName, fieldName, signature) => {
    const type = buildSchema(printed).getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    const args = field?.args.map((arg) => `${arg.name}: ${String(arg.type)}`).join(', ');
    expect(`${args ? `(${args})` : ''}: ${String(field?.type)}`).toBe(signature);
  });
});

function fieldsOf(type: string, list: string): [string, string, string][] {
  return list.split(', ').map((field) => {
    const [name = '', returns = ''] = field.split(': ');
    return [type, name, `: ${returns}`];
  });
}
