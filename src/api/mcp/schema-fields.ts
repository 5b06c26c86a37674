import {
  getNamedType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import examples from './example-arguments.json' with { type: 'json' };

/** A field that queries can select. */
export interface SchemaField {
  /** The fields from the root to this one, separated by dots. */
  readonly path: string;
  readonly type: string;
  readonly description: string;
  /** The arguments with their types; undefined if there are none. */
  readonly arguments?: readonly string[];
  /** A query that selects the field, of names and objects of the sandbox. */
  readonly example: string;
}

type Parent = GraphQLObjectType | GraphQLInterfaceType;
type Field = GraphQLField<unknown, unknown>;

/** A field on the way from the root, with its example arguments. */
interface Step {
  readonly name: string;
  readonly selection: string;
}

const exampleArguments: Readonly<Record<string, string>> = examples;

/** Returns the fields of queries, each once with its shortest path. */
export function schemaFields(schema: GraphQLSchema): readonly SchemaField[] {
  const root = schema.getQueryType();
  const fields: SchemaField[] = [];
  const visited = new Set<Parent>();
  let types: (readonly [type: Parent, steps: readonly Step[]])[] = root ? [[root, []]] : [];
  while (types.length > 0) {
    const next: typeof types = [];
    for (const [type, steps] of types) {
      if (visited.has(type)) continue;

      visited.add(type);
      for (const field of Object.values(type.getFields())) {
        const call = callOf(type, field);
        if (call === undefined) continue;
        const path = [...steps, { name: field.name, selection: call }];
        fields.push(describe(field, path));
        const inner = getNamedType(field.type);
        if (isParent(inner)) next.push([inner, path]);
      }
    }

    types = next;
  }

  return fields;
}

function isParent(type: unknown): type is Parent {
  return isObjectType(type) || isInterfaceType(type);
}

/** Returns a field with its example arguments; undefined if it needs others. */
function callOf(type: Parent, { name, args }: Field): string | undefined {
  const sent = exampleArguments[`${type.name}.${name}`];
  if (sent !== undefined) return `${name}(${sent})`;
  return args.some(isRequiredArgument) ? undefined : name;
}

function describe({ type, description, args }: Field, path: readonly Step[]): SchemaField {
  const named = getNamedType(type);
  const values = isEnumType(named) ? named.getValues().map(({ name }) => name) : [];
  const texts = [description ?? '', values.length > 0 ? `One of ${values.join(', ')}.` : ''];
  const inner = isParent(named) ? ` ${selectionOf(named)}` : '';

  return {
    path: path.map(({ name }) => name).join('.'),
    type: String(type),
    description: texts.join(' ').trim(),
    ...(args.length > 0 && { arguments: args.map((arg) => `${arg.name}: ${String(arg.type)}`) }),
    example: path.reduceRight((text, { selection }) => ` { ${selection}${text} }`, inner).trim(),
  };
}

const maxSelected = 8;

/** Returns a selection of some values of an object, its own before those that many types have. */
function selectionOf(type: Parent): string {
  const { nodes, ...fields } = type.getFields();
  const row = nodes && getNamedType(nodes.type);
  if (isParent(row)) return `{ nodes ${selectionOf(row)} }`;

  const shared = new Set(type.getInterfaces().flatMap((each) => Object.keys(each.getFields())));
  const values = Object.values(fields).filter(
    (field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument),
  );
  const selected = values.toSorted(
    (a, b) => Number(shared.has(a.name)) - Number(shared.has(b.name)),
  );
  const names = selected.slice(0, maxSelected).map(({ name }) => name);

  return `{ ${names.join(' ') || '__typename'} }`;
}
