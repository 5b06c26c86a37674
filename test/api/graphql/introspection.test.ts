import type {
  IntrospectionField,
  IntrospectionInputValue,
  IntrospectionQuery,
  IntrospectionType,
} from 'graphql';
import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';
import { startGateway } from '../../support/gateways/gateway.ts';

it('introspection describes every type, field, argument and value', async () => {
  await using gateway = await startGateway();
  const { data, errors } = await gateway.graphql(
    getIntrospectionQuery().replace('__schema', 'schema: __schema'),
  );
  expect(errors).toBeUndefined();
  const { types, directives } = (data as { schema: IntrospectionQuery['__schema'] }).schema;
  const described = types.filter(({ name }) => !name.startsWith('__')).flatMap(partsOf);
  expect(described.length).toBeGreaterThan(100);
  expect(described.filter(([, description]) => !description)).toEqual([]);
  expect(directives.map(({ name }) => name)).toContain('defer');
  expect(directives.map(({ name }) => name)).not.toContain('stream');
});

type Part = readonly [name: string, description: string | null | undefined];

function partsOf(type: IntrospectionType): readonly Part[] {
  const values =
    type.kind === 'ENUM'
      ? type.enumValues.map(({ name, description }): Part => [`${type.name}.${name}`, description])
      : [];
  const fields =
    'fields' in type
      ? [...(type.fields ?? [])].flatMap((field) => fieldParts(type.name, field))
      : [];
  return [[type.name, type.description], ...values, ...fields];
}

function fieldParts(
  type: string,
  field: IntrospectionField | IntrospectionInputValue,
): readonly Part[] {
  const args = 'args' in field ? field.args : [];
  return [
    [`${type}.${field.name}`, field.description],
    ...args.map((arg): Part => [`${type}.${field.name}(${arg.name})`, arg.description]),
  ];
}
