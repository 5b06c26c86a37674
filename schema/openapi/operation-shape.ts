import {
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type FieldNode,
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import {
  objectOf,
  openEnum,
  orNull,
  schemaRef,
  type JsonSchema,
  type Properties,
} from './json-schema.ts';

/** What a saved operation yields. */
interface OperationShape {
  /** The members of its root field, or of each row of it. */
  readonly properties: Properties;
  /** The objects in them, by the name of their type. */
  readonly types: Properties;
}

type Types = Record<string, JsonSchema>;

/** The REST bodies are the data of saved operations: read from there, their description cannot drift. Texts are those of the GraphQL fields. */
export function operationShape(schema: GraphQLSchema, source: string): OperationShape {
  const [operation] = parse(source).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION)
    throw new Error('A saved operation is one operation.');
  const [rows] = fieldsOf(schema.getQueryType(), operation.selectionSet);
  const types: Types = {};
  return {
    properties: propertiesOf(getNamedType(rows?.field.type), rows?.node.selectionSet, types),
    types,
  };
}

function propertiesOf(
  parent: unknown,
  selection: SelectionSetNode | undefined,
  types: Types,
): Properties {
  const properties = fieldsOf(parent, selection).map(({ node, field }): [string, JsonSchema] => [
    node.alias?.value ?? node.name.value,
    { ...schemaOf(field.type, node, types), description: inSnakeCase(field.description ?? '') },
  ]);
  return Object.fromEntries(properties);
}

function fieldsOf(parent: unknown, selection: SelectionSetNode | undefined) {
  return (selection?.selections ?? []).map((node) => {
    const field =
      isObjectType(parent) && node.kind === Kind.FIELD
        ? parent.getFields()[node.name.value]
        : undefined;
    if (node.kind !== Kind.FIELD || !field)
      throw new Error('A saved operation selects plain fields of objects.');
    return { node, field };
  });
}

function schemaOf(type: GraphQLOutputType, node: FieldNode, types: Types): JsonSchema {
  return isNonNullType(type)
    ? nonNullSchemaOf(type.ofType, node, types)
    : orNull(nonNullSchemaOf(type, node, types));
}

function nonNullSchemaOf(type: GraphQLOutputType, node: FieldNode, types: Types): JsonSchema {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, node, types) };
  if (isEnumType(type)) return openEnum(enumDescriptions(type));
  if (isObjectType(type)) return namedObject(type, node, types);
  const scalar = scalars[String(type)];
  if (!scalar) throw new Error(`No JSON Schema is known for ${String(type)}.`);
  return scalar;
}

/** As REST has them: in lower case. */
function enumDescriptions(type: GraphQLEnumType): Readonly<Record<string, string>> {
  return Object.fromEntries(
    type
      .getValues()
      .map(({ name, description }) => [name.toLowerCase(), inSnakeCase(description ?? '')]),
  );
}

function namedObject(type: GraphQLObjectType, node: FieldNode, types: Types): JsonSchema {
  types[type.name] = {
    description: inSnakeCase(type.description ?? ''),
    ...objectOf(propertiesOf(type, node.selectionSet, types)),
  };
  return schemaRef(type.name);
}

const scalars: Properties = {
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  JSON: { type: 'object' },
};

/** A description names other fields as GraphQL spells them. */
function inSnakeCase(description: string): string {
  return description.replaceAll(/`[a-z]+(?:[A-Z][a-z]+)+`/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}
