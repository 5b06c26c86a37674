import type { JsonObject } from '../../domain/registration.ts';

/** A JSON Schema (2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = JsonObject;

export type Properties = Readonly<Record<string, JsonSchema>>;

/** What the schema of a body is made of. */
export interface ShapeSource {
  /** The members of the data that the body is made from. */
  readonly properties: Properties;
  /** The named schemas, to which bodies add theirs (`components.schemas`). */
  readonly types: Record<string, JsonSchema>;
}

/** Returns a schema. It is printed only with the OpenAPI document, never for a request. */
type PrintSchema = (source: ShapeSource) => JsonSchema;

/**
 * How a value is read of data: a function, or the path of a member, such as `logo.url`, which is null
 * if one of the members on it is.
 */
type Read<T> = ((data: T) => unknown) | string;

/**
 * A member of a body that is made from data of type `T`: its schema and its value. The member is
 * optional if the value may be undefined.
 */
export type Member<T> = readonly [
  schema: JsonSchema | PrintSchema,
  value: Read<T>,
  presence?: 'optional',
];

/** The members of a body: the response and its description are made from the same table. */
export type Members<T> = Readonly<Record<string, Member<T>>>;

/** Returns the members of a body. */
export function render<T>(members: Members<T>, data: T): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const key in members) {
    const value = valueOf(members[key]?.[1] ?? key, data);
    if (value !== undefined) body[key] = value;
  }
  return body;
}

function valueOf<T>(read: Read<T>, data: T): unknown {
  return typeof read === 'string' ? read.split('.').reduce(memberIn, data) : read(data);
}

function memberIn(value: unknown, key: string): unknown {
  return value === null || value === undefined ? null : Reflect.get(Object(value), key);
}

/**
 * Returns the schema of an object with these members. `others`: the members of the data that it has,
 * too.
 */
export function print<T>(
  members: Members<T>,
  source: ShapeSource,
  others: Properties = {},
): JsonSchema {
  const properties: Record<string, JsonSchema> = { ...others };
  for (const [key, [schema]] of Object.entries(members))
    properties[key] = typeof schema === 'function' ? schema(source) : schema;
  const optional = Object.keys(members).filter((key) => members[key]?.[2] === 'optional');
  return objectOf(properties, optional);
}

/** Returns members of the data that the body has, too. */
export function same(...keys: readonly string[]): Members<object> {
  return membersOf(keys, (key) => [({ properties }) => ({ ...properties[key] }), key]);
}

export function membersOf<T>(
  keys: readonly string[],
  memberOf: (key: string) => Member<T>,
): Members<T> {
  return Object.fromEntries(keys.map((key) => [key, memberOf(key)]));
}

/** Returns members of the data that the body has, too, unless they are null. */
export function known(...keys: readonly string[]): Members<object> {
  return membersOf(keys, (key) => [
    ({ properties }) => withoutNull({ ...properties[key] }, 'absent'),
    (data) => Reflect.get(data, key) ?? undefined,
    'optional',
  ]);
}

/** Returns a member that is an object with these members. */
export function object<T>(members: Members<T>): Member<T> {
  return [(source) => print(members, source), (data) => render(members, data)];
}

/**
 * Returns a member whose items have a named schema, to which these members are added, and which
 * lacks the members of `omits`. `itemsOf` returns the items, by default the member `key`.
 */
export function items<T, Item extends object>(
  key: string,
  typeName: string,
  members: Members<Item>,
  omits: readonly (keyof Item & string)[] = [],
  itemsOf = (data: T) => valueOf(key, data) as readonly Item[],
): Member<T> {
  return [
    ({ properties, types }) => {
      changeType(types, typeName, members, omits);
      return { ...properties[key] };
    },
    (data) => itemsOf(data).map((item) => change(item, members, omits)),
  ];
}

/** Returns an object with these members instead of its own, and without those of `omits`. */
export function change<T extends object>(
  value: T,
  members: Members<T>,
  omits: readonly string[] = [],
): object {
  return { ...without(value, [...omits, ...Object.keys(members)]), ...render(members, value) };
}

/** Adds members to a named schema, and removes those of `omits`. */
export function changeType<T>(
  types: ShapeSource['types'],
  name: string,
  members: Members<T>,
  omits: readonly string[] = [],
): void {
  const properties = (types[name]?.['properties'] ?? {}) as Properties;
  types[name] = {
    ...types[name],
    ...print(members, { properties, types }, without(properties, omits)),
  };
}

/** Returns an object without some of its members. */
export function without<T extends object>(value: T, keys: readonly string[]): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) as T;
}

/** Returns the schema of an object whose members are all required except the optional ones. */
export function objectOf(properties: Properties, optional: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    properties,
  };
}

/** Adds a named schema. Returns a reference to it. */
export function named(types: ShapeSource['types'], name: string, schema: JsonSchema): JsonSchema {
  types[name] = schema;
  return schemaRef(name);
}

/** A named object: its schema, and how it is rendered. */
export interface ObjectShape<T> {
  /** Adds the schema, and returns a reference to it. */
  readonly print: PrintSchema;
  readonly render: (data: T) => Record<string, unknown>;
}

/** Declares an object that has a named schema. */
export function objectType<T>(
  name: string,
  members: Members<T>,
  description?: string,
): ObjectShape<T> {
  return {
    print: (source) =>
      named(source.types, name, {
        ...(description !== undefined && { description }),
        ...print(members, source),
      }),
    render: (data) => render(members, data),
  };
}

/** Returns a member that is a list of named objects. */
export function listOf<T, Item>(
  description: string,
  type: ObjectShape<Item>,
  itemsOf: Read<T>,
): Member<T> {
  return [
    (source) => list(description, type.print(source)),
    (data) => (valueOf(itemsOf, data) as readonly Item[]).map((item) => type.render(item)),
  ];
}

/** Returns the name of the schema to which a schema refers; empty if it is none. */
export function refName({ $ref: ref = '' }: JsonSchema): string {
  return String(ref).replace(/^.*\//, '');
}

export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a nullable variant of a schema. */
export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** Returns functions that return a schema; or, with a function that returns its value, a member. */
function described(schemaOf: (description: string) => JsonSchema) {
  function describe(description: string): JsonSchema;
  function describe<T>(description: string, value: Read<T>): Member<T>;

  function describe<T>(description: string, value?: Read<T>): JsonSchema | Member<T> {
    const schema = schemaOf(description);
    return value ? [schema, value] : schema;
  }

  return describe;
}

export const text = described((description) => ({ type: 'string', description }));
export const textOrNull = described((description) => orNull(text(description)));
export const integer = described((description) => ({ type: 'integer', description }));
export const count = described((description) => ({ type: 'integer', minimum: 0, description }));
export const flag = described((description) => ({ type: 'boolean', description }));
export const texts = described((description) => list(description, { type: 'string' }));

export function list(description: string, ofItems: JsonSchema): JsonSchema {
  return { type: 'array', items: ofItems, description };
}

/** Returns a schema without null. Its description has the word `instead` for it. */
export function withoutNull(schema: JsonSchema, instead: string): JsonSchema {
  const { type, anyOf, description } = schema;
  if (Array.isArray(anyOf)) return { ...(anyOf[0] as JsonSchema) };
  return {
    ...schema,
    ...(Array.isArray(type) && { type: type[0] as string }),
    ...(typeof description === 'string' && { description: description.replace('null', instead) }),
  };
}

/**
 * Returns the schema of a string with known values and their descriptions. Not an `enum`: values
 * may be added, and clients must tolerate unknown ones.
 */
export function openEnum(
  descriptions: Readonly<Record<string, string>>,
  description?: string,
): JsonSchema {
  return {
    type: 'string',
    'x-extensible-enum': Object.keys(descriptions),
    'x-enumDescriptions': descriptions,
    ...(description !== undefined && { description }),
  };
}
