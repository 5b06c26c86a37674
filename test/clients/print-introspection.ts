import { introspectionFromSchema, type IntrospectionType } from 'graphql';
import { schema } from '../../src/app/schema.ts';

/** Returns the schema as a TypeScript type for gql.tada. */
export function printedIntrospection(): string {
  const { __schema } = introspectionFromSchema(schema, { descriptions: false });
  const { queryType, subscriptionType, types } = __schema;
  const printed = types.filter(({ name }) => !name.startsWith('__')).map(printedType);
  return `export type introspection = { __schema: {
  queryType: ${JSON.stringify(queryType)}; mutationType: null; subscriptionType: ${JSON.stringify(subscriptionType)};
  types: [
${printed.map((type) => `    ${type},`).join('\n')}
  ];
} };
`;
}

function printedType(type: IntrospectionType): string {
  const { kind, name } = type;
  const start = `kind: '${kind}'; name: '${name}'`;
  if (type.kind === 'ENUM')
    return `{ ${start}; enumValues: [${type.enumValues.map((value) => `{ name: '${value.name}' }`).join(', ')}] }`;
  if (type.kind === 'SCALAR') return `{ ${start} }`;
  if (type.kind === 'UNION')
    return `{ ${start}; possibleTypes: ${JSON.stringify(type.possibleTypes)} }`;
  if (type.kind === 'INPUT_OBJECT') {
    const inputs = type.inputFields.map((field) => ({ ...field, defaultValue: null }));
    return `{ ${start}; isOneOf: ${type.isOneOf ?? false}; inputFields: ${JSON.stringify(inputs)} }`;
  }
  if (type.kind !== 'OBJECT' && type.kind !== 'INTERFACE')
    throw new Error(`Printing types of kind ${kind}, such as ${name}, is not implemented.`);
  const fields = type.fields.map((field) => ({ name: field.name, type: field.type, args: [] }));
  const possible =
    type.kind === 'INTERFACE' ? `; possibleTypes: ${JSON.stringify(type.possibleTypes)}` : '';
  return `{ ${start}; interfaces: ${JSON.stringify(type.interfaces)}; fields: ${JSON.stringify(fields)}${possible} }`;
}
