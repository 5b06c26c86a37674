import type { GraphQLField, GraphQLNamedType } from 'graphql';
import { details } from '../domain/source.ts';

/**
 * The parts of a row that a field of `Domain` may read, in ascending order: the name alone, an answer
 * of the registry with some detail, or the record of the registrar as well.
 */
export const rowParts = ['name', ...details, 'registrar'] as const;
export type RowPart = (typeof rowParts)[number];

/**
 * What an operation must know of a field before it runs. Each field states it where it is defined,
 * so that no other file has a list of fields.
 *
 * @example
 * t.field({ type: RegistrationType, extensions: fieldFacts({ reads: 'record', cost: recordCost }) })
 */
export interface FieldFacts {
  /** A field of `Domain` that states nothing reads the `verdict`. */
  readonly reads?: RowPart;
  /** The `@cost` of the field, or of an item of its list, in credits, besides the field above it. */
  readonly cost?: number;
  /** A field with objects that the operation does not name: how many it looks up per name, at most. */
  readonly maxFound?: number;
  /**
   * A list that costs no credits: how many rows a page has by default, about how many fields a row
   * has, and which of them is a name, whose lookup has a price.
   */
  readonly freeList?: {
    readonly defaultRows: number;
    readonly fieldsPerRow: number;
    readonly nameField?: string;
  };
}

/** Returns the `extensions` of a field with these facts. */
export const fieldFacts = ({ ...known }: FieldFacts): Readonly<Record<string, unknown>> => known;

/** Returns what a field states about itself. */
export function factsOf(field: GraphQLField<unknown, unknown> | undefined): FieldFacts {
  return (field?.extensions ?? {}) as FieldFacts;
}

/** The `extensions` of the interface of objects that have a price each. */
export const pricedObject = { isPricedObject: true };

/** Returns whether a type is an object that has a price, such as an IP network. */
export function isPricedObject(type: GraphQLNamedType | undefined | null): boolean {
  const interfaces = type && 'getInterfaces' in type ? type.getInterfaces() : [];
  return interfaces.some(({ extensions }) => extensions['isPricedObject'] === true);
}
