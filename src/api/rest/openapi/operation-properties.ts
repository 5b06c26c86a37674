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
} from '../shape.ts';

type Types = Record<string, JsonSchema>;

/**
 * Returns the JSON schemas of the members of a saved operation's root field, or of each row if that
 * is a list, with the descriptions of the GraphQL fields. Adds the object types that they refer to.
 * REST bodies are the data of saved operations, so these schemas cannot drift from them.
 */
export function operationProperties(
  schema: GraphQLSchema,
  source: string,
  types: Types,
): Properties {
  const [operation] = parse(source).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION)
    throw new Error('A saved operation must consist of one operation.');
  const [rows] = fieldsOf(schema.getQueryType(), operation.selectionSet);
  return propertiesOf(getNamedType(rows?.field.type), rows?.node.selectionSet, types);
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
      throw new Error('A saved operation may only select plain fields of objects.');
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
  if (!scalar) throw new Error(`No JSON Schema is defined for the scalar ${String(type)}.`);
  return scalar;
}

/** Returns the descriptions of enum values, which REST writes in lower case. */
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

/** Converts field names in a description from camelCase to the snake_case of REST. */
function inSnakeCase(description: string): string {
  return description.replaceAll(/`[a-z]+(?:[A-Z][a-z]+)+`/g, (name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}
