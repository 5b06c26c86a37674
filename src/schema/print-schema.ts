import { Kind, parse, printSchema, type ASTNode, type GraphQLSchema } from 'graphql';

/** The directives of an element, with their arguments, as in the extensions of its definition. */
type AppliedDirectives = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Element {
  extensions: Readonly<Record<string, unknown>>;
}

/** Adds directives to what printed schemas say of an element. */
export function applyDirectives(element: Element, directives: AppliedDirectives): void {
  const existing = element.extensions['directives'] as AppliedDirectives | undefined;
  element.extensions = { ...element.extensions, directives: { ...existing, ...directives } };
}

/** Returns a schema in SDL, with the directives that were applied: `printSchema` prints none. */
export function printWithDirectives(schema: GraphQLSchema): string {
  const text = printSchema(schema);
  let printed = '';
  let end = 0;

  const insertAfter = ({ loc }: ASTNode, element?: Element) => {
    const offset = loc?.end ?? end;
    printed += text.slice(end, offset) + (element ? directivesOf(element) : '');
    end = offset;
  };

  for (const definition of parse(text).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = schema.getType(definition.name.value);
    insertAfter(definition.interfaces?.at(-1) ?? definition.name, type);
    const fields = type && 'getFields' in type ? type.getFields() : {};
    for (const field of definition.fields ?? []) insertAfter(field, fields[field.name.value]);
  }

  return printed + text.slice(end);
}

function directivesOf({ extensions }: Element): string {
  const directives = (extensions['directives'] ?? {}) as AppliedDirectives;
  return Object.entries(directives)
    .map(([name, args]) => {
      const values = Object.entries(args).map(([arg, value]) => `${arg}: ${JSON.stringify(value)}`);
      return ` @${name}${values.length > 0 ? `(${values.join(', ')})` : ''}`;
    })
    .join('');
}
