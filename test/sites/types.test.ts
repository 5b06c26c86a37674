import { buildSchema, getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startGateway } from '../support/gateways/gateway.ts';

const printed = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');
const host = buildSchema(printed).getType('Host') as GraphQLObjectType;

/** Returns the fields of a type, with their types. */
function fieldsOf(type: GraphQLObjectType) {
  return Object.values(type.getFields()).map(({ name, type: wrapped }) => {
    const named = getNamedType(wrapped);
    return { name, type: isObjectType(named) ? named : undefined };
  });
}

/** Returns a selection of all fields of a type, and of those below. */
function selectionOf(type: GraphQLObjectType): string {
  const fields = fieldsOf(type).map(({ name, type: below }) => {
    if (below?.name === 'IpAddress') return `${name} { ip }`;
    return below ? `${name} ${selectionOf(below)}` : name;
  });
  return `{ ${fields.join(' ')} }`;
}

it('returns a value for each field of the results about a site', async () => {
  await using gateway = await startGateway({});
  const args: Record<string, string> = { tls: '(profile: FULL)', certificates: '(first: 1)' };
  const missing = fieldsOf(host).map(async ({ name, type }) => {
    if (!type) return [];
    const selection = `${name}${args[name] ?? ''} ${selectionOf(type)}`;
    const { data, errors } = await gateway.graphql(`{ site(host: "taken.test") { ${selection} } }`);
    expect(errors).toBeUndefined();
    const fields = Object.keys(data.site[name]).filter((key) => data.site[name][key] === null);
    return fields.map((field) => `${type.name}.${field}`);
  });
  const found = (await Promise.all(missing)).flat().filter((field) => !field.endsWith('.problem'));
  // The sandbox has no address to show, and its certificate is trusted.
  expect(found).toEqual(['Tls.address', 'Tls.trustError', 'DisposableMail.matchedDomain']);
});
