import {
  buildSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  isSpecifiedDirective,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import { prices } from '../execution/charging/prices.ts';
import { factsOf, isPricedObject } from '../execution/field-facts.ts';
import { applyDirectives } from './print-schema.ts';

// The directives in the form of https://specs.apollo.dev/cost/v0.1, which routers read.

/** The definitions of `@cost` and `@listSize`. */
export const costDirectives = buildSchema(`
"What a value is estimated to cost, in credits. \`extensions.explain\` of a request returns the exact price."
directive @cost(
  "Credits."
  weight: Int!
) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR

"How many items a list is estimated to have."
directive @listSize(
  "The number without slicing arguments."
  assumedSize: Int
  "The arguments that limit the number."
  slicingArguments: [String!]
  "The lists of the object to which this applies."
  sizedFields: [String!]
  "Whether exactly one of the slicing arguments is required."
  requireOneSlicingArgument: Boolean = true
) on FIELD_DEFINITION
`)
  .getDirectives()
  .filter((directive) => !isSpecifiedDirective(directive));

/** A list is estimated to have as many names as a full block of a search. */
const assumedNames = 50;

/**
 * Applies `@cost` and `@listSize` to the types of a schema: estimates in credits, where objects cost
 * nothing by themselves.
 */
export function applyCosts(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;

    const isRoot = [
      schema.getQueryType(),
      schema.getMutationType(),
      schema.getSubscriptionType(),
    ].includes(type);
    if (!isRoot) applyDirectives(type, { cost: { weight: 0 } });

    for (const field of Object.values(type.getFields())) {
      const weight = weightOf(field);
      if (weight > 0) applyDirectives(field, { cost: { weight } });
      const listSize = listSizeOf(field, weight);
      if (listSize) applyDirectives(field, { listSize });
    }
  }
}

function weightOf(field: GraphQLField<unknown, unknown>): number {
  const isObject = isPricedObject(getNamedType(field.type)) && !isList(field);
  return factsOf(field).cost ?? (isObject ? prices.object(1) : 0);
}

function listSizeOf(
  field: GraphQLField<unknown, unknown>,
  weight: number,
): Readonly<Record<string, unknown>> | undefined {
  const facts = factsOf(field);
  if (isList(field)) {
    if (weight === 0) return undefined;
    // What is read of a row has one price, however many items it has.
    return { assumedSize: facts.reads ? 1 : assumedNames };
  }

  const type = getNamedType(field.type);
  const slicingArguments = field.args
    .map((arg) => arg.name)
    .filter((arg) => arg === 'first' || arg === 'last');
  const assumedSize = facts.freeList?.defaultRows ?? 0;
  if (assumedSize === 0 || slicingArguments.length === 0 || !isObjectType(type)) return undefined;

  const lists = Object.values(type.getFields()).filter(isList);
  return {
    assumedSize,
    slicingArguments,
    sizedFields: lists.map((list) => list.name),
    requireOneSlicingArgument: false,
  };
}

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(type));
}
