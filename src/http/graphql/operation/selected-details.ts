import { isObjectType, type FieldNode, type GraphQLSchema } from 'graphql';
import type { FieldLookup } from '../../../lookup/lookup-plan.ts';
import { once } from '../../../once.ts';
import { Problem } from '../../../domain/problems.ts';
import { limits } from './limits.ts';
import { fieldsOf, mostCopies, type Selecting } from './selections.ts';

/** What needs the registrar's own record. */
const registrarFields = new Set(['registrarRdap', 'registrarProblem']);
/** What needs the registry's whole record. */
const recordFields = new Set(['rdap', ...registrarFields]);
/** What needs to know of the registration more than the verdict says. */
const registrationFields = new Set(['phase']);

/** What a root field selects of rows and records. Finds it out once. */
export class Selection {
  readonly #node: FieldNode;
  readonly #schema: GraphQLSchema;
  readonly #selecting: Selecting;

  constructor(node: FieldNode, schema: GraphQLSchema, selecting: Selecting) {
    this.#node = node;
    this.#schema = schema;
    this.#selecting = selecting;
  }

  /** Returns what rows need looked up. */
  readonly parts = once((): Pick<FieldLookup, 'part' | 'registrarRecord'> => {
    const names = this.#fieldsOn('Domain').map(({ name }) => name.value);
    const registered = names.some((name) => registrationFields.has(name))
      ? 'registration'
      : 'verdict';
    return {
      part: names.some((name) => recordFields.has(name)) ? 'record' : registered,
      registrarRecord: names.some((name) => registrarFields.has(name)),
    };
  });

  /** Returns how often the same part of a record is selected at most, in rows; 0 if no record is. */
  readonly copiesInRows = once(() =>
    this.#copiesOf(this.#fieldsOn('Domain').filter(({ name }) => recordFields.has(name.value))),
  );

  /** Returns the same for records that are found by id. */
  readonly copiesInRecords = once(() => this.#copiesOf(this.#fieldsOn('Registration')));

  /** Returns the fields that are selected of objects of a type. */
  #fieldsOn(typeName: string): readonly FieldNode[] {
    const type = this.#schema.getType(typeName);
    return fieldsOf(this.#node.selectionSet, {
      ...this.#selecting,
      ...(isObjectType(type) && { type }),
    });
  }

  #copiesOf(fields: readonly FieldNode[]): number {
    return fields.length > 0 ? mostCopies(fields, this.#selecting) : 0;
  }
}

/** Limits how many records a response contains. A record is many times as long as an alias that selects it again. */
export class RecordLimit {
  #recordsLeft: number;

  constructor(maxEntries: number) {
    this.#recordsLeft = Math.max(maxEntries, limits.records);
  }

  /** Counts `count` records. For single names, the limits of documents suffice. Throws `query_too_large`. */
  spend(count: number, copies: () => number): void {
    if (count <= 1) return;
    this.#recordsLeft -= count * copies();
    if (this.#recordsLeft < 0)
      throw new Problem(
        'query_too_large',
        'The operation selects the same parts of too many records repeatedly; select each part once.',
      );
  }
}
