import { isObjectType, resolveSchemaCoordinate, type GraphQLSchema } from 'graphql';

/**
 * Adds texts to the elements of a schema by their schema coordinates, such as `Query.domain(name:)`.
 * A field of an interface needs one text for all its types. Throws if a coordinate names nothing, or
 * an element that has a text in its definition, such as one that contains values of the code.
 */
export function addDescriptions(
  schema: GraphQLSchema,
  descriptions: Readonly<Record<string, string>>,
): void {
  for (const [coordinate, text] of Object.entries(descriptions)) {
    const element = elementAt(schema, coordinate);
    if (element.description != null) throw new Error(`${coordinate} has two descriptions.`);
    element.description = text;
  }
  describeInheritedFields(schema);
}

function elementAt(schema: GraphQLSchema, coordinate: string) {
  const found = resolveSchemaCoordinate(schema, coordinate);
  if (found?.kind === 'NamedType') return found.type;
  if (found?.kind === 'Field') return found.field;
  if (found?.kind === 'FieldArgument') return found.fieldArgument;
  if (found?.kind === 'EnumValue') return found.enumValue;
  throw new Error(`The schema has no ${coordinate}, which is described.`);
}

/** Describes fields and arguments like those of the interface from which a type has them. */
function describeInheritedFields(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const inherited of type
      .getInterfaces()
      .flatMap((each) => Object.values(each.getFields()))) {
      const field = type.getFields()[inherited.name];
      if (!field) continue;
      field.description ??= inherited.description;
      for (const arg of field.args)
        arg.description ??= inherited.args.find(({ name }) => name === arg.name)?.description;
    }
}
