import {
  Kind,
  parse,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type ObjectTypeDefinitionNode,
  type StringValueNode,
  type TypeNode,
} from 'graphql';
import type { Context } from '../execution/context.ts';
import { builder, type InterfaceOf } from './builder.ts';

/** The interface of the types of a document that are results of lookups. */
export interface ResultInterface<T> {
  readonly type: InterfaceOf<T>;
  /** Returns the member of a result that a field has. */
  readonly read: (result: T, member: string, context: Context) => unknown;
}

/**
 * Defines the object types and enums of a document in the schema definition language. A field has
 * the member with its name, or the one that `@from(member:)` names. The value of an enum is a word
 * in lower case. A type with an interface is a result, which has the fields of `results.type` too.
 */
export function defineTypes<T extends object>(document: string, results: ResultInterface<T>): void {
  for (const definition of parse(document).definitions) {
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION) defineEnum(definition);
    else if (definition.kind === Kind.OBJECT_TYPE_DEFINITION) defineObject(definition, results);
    else throw new Error(`A document of types has no ${definition.kind}.`);
  }
}

function defineEnum({ name, description, values = [] }: EnumTypeDefinitionNode): void {
  const entries = values.map((each) => [
    each.name.value,
    { value: each.name.value.toLowerCase(), ...described(each) },
  ]);
  builder.enumType(name.value, {
    ...described({ description }),
    values: Object.fromEntries(entries) as Record<string, { readonly value: string }>,
  });
}

function defineObject<T extends object>(
  definition: ObjectTypeDefinitionNode,
  results: ResultInterface<T>,
): void {
  const { name, interfaces = [], fields = [] } = definition;
  const isResult = interfaces.length > 0;
  const read = isResult ? results.read : memberIn;

  builder.objectRef<T>(name.value).implement({
    ...described(definition),
    interfaces: isResult ? [results.type] : [],
    fields: (t) =>
      Object.fromEntries(
        fields.map((field) => {
          const member = memberOf(field);
          const resolve = (object: T, _args: object, context: Context) =>
            read(object, member, context) as never;
          const type = typeOf(field.type);
          return [field.name.value, t.field({ ...type, ...described(field), resolve })];
        }),
      ),
  });
}

/** Returns a member of an object. Throws if it has none: the document then differs from the code. */
function memberIn(object: object, member: string): unknown {
  if (member in object) return Reflect.get(object, member);
  throw new Error(`An object has no member ${member}.`);
}

function described({ description }: { description?: StringValueNode | undefined }) {
  return description ? { description: description.value } : {};
}

function memberOf({ name, directives = [] }: FieldDefinitionNode): string {
  const [value] = directives.flatMap((each) => each.arguments ?? []).map((each) => each.value);
  return value?.kind === Kind.STRING ? value.value : name.value;
}

/** Returns the options of a field with a type. The items of lists are never null. */
function typeOf(type: TypeNode) {
  const nullable = type.kind !== Kind.NON_NULL_TYPE;
  const inner = nullable ? type : type.type;
  // A type may be named before it is defined.
  const named = nameOf(inner) as never;
  return { nullable, type: inner.kind === Kind.LIST_TYPE ? ([named] as [never]) : named };
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}
