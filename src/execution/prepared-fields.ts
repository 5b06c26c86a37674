import {
  getArgumentValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  visit,
  BREAK,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import { byResponseKey, fieldsIn, fieldsOf, type SelectionScope } from './selections.ts';

/** The coerced arguments of a field. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The fields of an object type that are executed, in the order of the response. */
export interface PreparedObject {
  readonly type: GraphQLObjectType;
  readonly fields: readonly PreparedField[];
  /** The JSON of an object depends on the object alone, which never changes. */
  readonly isImmutable: boolean;
}

/** A field that is executed, with everything about it that is the same for each object. */
export interface PreparedField {
  /** The response key. */
  readonly key: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Undefined if the value is the member of the object with the name of the field. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Whether the resolver reads nothing but the object, so that it needs no `info`. */
  readonly readsObjectAlone: boolean;
  /** Undefined if they depend on variables, or cannot be coerced. */
  readonly args: Arguments | undefined;
  readonly shape: Shape;
}

/** The type of a field or of the items of a list, without its wrappers. */
export interface Shape {
  readonly isNonNull: boolean;
  readonly items?: Shape;
  readonly leaf?: GraphQLLeafType;
  readonly abstract?: GraphQLAbstractType;
  /** Returns the fields that are selected on an object. `type`: that of an abstract type's value. */
  readonly selected?: (type?: GraphQLObjectType) => PreparedObject;
  /** What `selected` has returned for a type that is not abstract. */
  object?: PreparedObject;
}

/** Prepares the root fields of an operation. Fields below them are prepared at their first use. */
export function prepareRoot(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  scope: SelectionScope,
): PreparedObject {
  return prepareObject(type, fieldsOf(selectionSet, { ...scope, type }), scope);
}

function prepareObject(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
): PreparedObject {
  if (type.isTypeOf) throw new Error(`${type.name} has isTypeOf, which is not called.`);
  const fields = Array.from(byResponseKey(nodes).values(), (same) =>
    prepareField(type, same, scope),
  ).filter((field) => field !== undefined);
  const isImmutable =
    !scope.variables && type.extensions['isImmutable'] === true && fields.every(readsObjectAlone);
  return { type, fields, isImmutable };
}

/** Returns whether a field depends on its object alone, with all fields below it. */
function readsObjectAlone(field: PreparedField): boolean {
  if (!field.readsObjectAlone) return false;
  let shape: Shape | undefined = field.shape;
  while (shape?.items) shape = shape.items;
  if (shape?.leaf) return true;
  return !shape?.abstract && shape?.selected?.().fields.every(readsObjectAlone) === true;
}

function prepareField(
  parentType: GraphQLObjectType,
  nodes: readonly [FieldNode, ...FieldNode[]],
  scope: SelectionScope,
): PreparedField | undefined {
  const [{ alias, name }] = nodes;
  const definition = scope.schema.getField(parentType, name.value);
  if (!definition) return undefined;

  const { resolve } = definition;
  return {
    key: (alias ?? name).value,
    nodes,
    parentType,
    definition,
    resolve,
    readsObjectAlone: resolve === undefined || resolve.length === 1,
    args: constantArguments(definition, nodes[0]),
    shape: shapeOf(definition.type, nodes, scope),
  };
}

function constantArguments(
  definition: PreparedField['definition'],
  node: FieldNode,
): Arguments | undefined {
  let hasVariables = false;
  for (const argument of node.arguments ?? [])
    visit(argument, { Variable: () => ((hasVariables = true), BREAK) });
  if (hasVariables) return undefined;

  try {
    return getArgumentValues(definition, node);
  } catch {
    // The error is that of the field, each time that it is executed.
    return undefined;
  }
}

function shapeOf(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  scope: SelectionScope,
  isNonNull = false,
): Shape {
  if (isNonNullType(type)) return shapeOf(type.ofType, nodes, scope, true);
  if (isListType(type)) return { isNonNull, items: shapeOf(type.ofType, nodes, scope) };
  if (isLeafType(type)) return { isNonNull, leaf: type };

  const prepared = new Map<GraphQLObjectType, PreparedObject>();
  const prepare = (on: GraphQLObjectType) => {
    const existing = prepared.get(on);
    if (existing) return existing;
    const object = prepareObject(on, fieldsIn(nodes, { ...scope, type: on }), scope);
    prepared.set(on, object);
    return object;
  };
  if (isAbstractType(type))
    return { isNonNull, abstract: type, selected: (on) => prepare(on as GraphQLObjectType) };

  const shape: Shape = { isNonNull, selected: () => (shape.object ??= prepare(type)) };
  return shape;
}
