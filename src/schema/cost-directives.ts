import {
  DirectiveLocation,
  getNamedType,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  isListType,
  isObjectType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { pageSizeOf } from '../execution/charging/free-work.ts';
import { prices } from '../execution/charging/prices.ts';
import { applyDirectives } from './print-schema.ts';

// The directives in the form of https://specs.apollo.dev/cost/v0.1, which routers read.

const { ARGUMENT_DEFINITION, ENUM, FIELD_DEFINITION, INPUT_FIELD_DEFINITION, OBJECT, SCALAR } =
  DirectiveLocation;

export const costDirectives = [
  new GraphQLDirective({
    name: 'cost',
    description:
      'What a value is estimated to cost, in credits. `extensions.explain` of a request returns the exact price.',
    locations: [
      ARGUMENT_DEFINITION,
      ENUM,
      FIELD_DEFINITION,
      INPUT_FIELD_DEFINITION,
      OBJECT,
      SCALAR,
    ],
    args: { weight: { type: new GraphQLNonNull(GraphQLInt), description: 'Credits.' } },
  }),
  new GraphQLDirective({
    name: 'listSize',
    description: 'How many items a list is estimated to have.',
    locations: [FIELD_DEFINITION],
    args: {
      assumedSize: { type: GraphQLInt, description: 'The number without slicing arguments.' },
      slicingArguments: {
        type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
        description: 'The arguments that limit the number.',
      },
      sizedFields: {
        type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
        description: 'The lists of the object to which this applies.',
      },
      requireOneSlicingArgument: {
        type: GraphQLBoolean,
        default: { value: true },
        description: 'Whether exactly one of the slicing arguments is required.',
      },
    },
  }),
];

/** How many names a list is estimated to have: those of a full block of a search. */
const assumedNames = 50;
/** What a record costs in addition to a verdict. */
const recordWeight = prices.record(1) - prices.single(1);

/** The weights of fields by their schema coordinates, in credits. That of a list is that of an item. */
const weights: Readonly<Record<string, number>> = {
  'Query.domain': prices.single(1),
  'Query.domains': prices.single(1),
  'Query.node': prices.single(1),
  'Query.nodes': prices.single(1),
  'Query._entities': prices.single(1),
  'Subscription.availability': prices.single(1),
  'Change.domain': prices.single(1),
  'Domain.registration': recordWeight,
  'Domain.rdap': recordWeight,
  'Domain.registrarRdap': recordWeight,
  'Domain.registrarProblem': recordWeight,
  'Domain.timeline': recordWeight,
  'Domain.abuseContacts': recordWeight,
};

/** The lists whose price does not depend on their length. */
const listsAtOnePrice = new Set(['Domain.timeline', 'Domain.abuseContacts']);

/**
 * Applies `@cost` and `@listSize` to the types of a schema: estimates in credits, where objects cost
 * nothing by themselves. `others`: more weights, by schema coordinates.
 */
export function applyCosts(schema: GraphQLSchema, others: Readonly<Record<string, number>>): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;

    const isRoot = [
      schema.getQueryType(),
      schema.getMutationType(),
      schema.getSubscriptionType(),
    ].includes(type);
    if (!isRoot) applyDirectives(type, { cost: { weight: 0 } });

    for (const field of Object.values(type.getFields())) {
      const weight = weightOf(type, field, { ...weights, ...others });
      if (weight > 0) applyDirectives(field, { cost: { weight } });
      const listSize = listSizeOf(type, field, weight);
      if (listSize) applyDirectives(field, { listSize });
    }
  }
}

function weightOf(
  { name }: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  weightsByField: Readonly<Record<string, number>>,
): number {
  const type = getNamedType(field.type);
  const isLookedUp =
    isObjectType(type) && type.getInterfaces().some((each) => each.name === 'RegistryObject');
  return (
    weightsByField[`${name}.${field.name}`] ?? (isLookedUp && !isList(field) ? prices.object(1) : 0)
  );
}

function listSizeOf(
  { name }: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  weight: number,
): Readonly<Record<string, unknown>> | undefined {
  if (isList(field)) {
    if (weight === 0) return undefined;
    return { assumedSize: listsAtOnePrice.has(`${name}.${field.name}`) ? 1 : assumedNames };
  }

  const type = getNamedType(field.type);
  const slicingArguments = field.args
    .map((arg) => arg.name)
    .filter((arg) => arg === 'first' || arg === 'last');
  const assumedSize = pageSizeOf(field.name);
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
