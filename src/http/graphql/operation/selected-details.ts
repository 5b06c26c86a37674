import { isObjectType, type FieldNode, type GraphQLSchema } from 'graphql';
import type { FieldLookup } from '../../../lookup/lookup-plan.ts';
import { once } from '../../../memoize.ts';
import { Problem } from '../../../domain/problems.ts';
import { documentLimits } from './document-limits.ts';
import { fieldsOf, countRepetitions, type SelectionScope } from './selections.ts';

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
  readonly #scope: SelectionScope;

  constructor(node: FieldNode, schema: GraphQLSchema, scope: SelectionScope) {
    this.#node = node;
    this.#schema = schema;
    this.#scope = scope;
  }

  /** Returns what rows need looked up. */
  readonly requiredDetail = once((): Pick<FieldLookup, 'detail' | 'registrarRecord'> => {
    const names = this.#fieldsOn('Domain').map(({ name }) => name.value);
    const minDetail = names.some((name) => registrationFields.has(name))
      ? 'registration'
      : 'verdict';
    return {
      detail: names.some((name) => recordFields.has(name)) ? 'record' : minDetail,
      registrarRecord: names.some((name) => registrarFields.has(name)),
    };
  });

  /** Returns how often the same part of a record is selected at most, in rows; 0 if no record is. */
  readonly rowRepetitions = once(() =>
    this.#repetitionsOf(
      this.#fieldsOn('Domain').filter(({ name }) => recordFields.has(name.value)),
    ),
  );

  /** Returns the same for records that are found by id. */
  readonly recordRepetitions = once(() => this.#repetitionsOf(this.#fieldsOn('Registration')));

  /** Returns the fields that are selected of objects of a type. */
  #fieldsOn(typeName: string): readonly FieldNode[] {
    const type = this.#schema.getType(typeName);
    return fieldsOf(this.#node.selectionSet, {
      ...this.#scope,
      ...(isObjectType(type) && { type }),
    });
  }

  #repetitionsOf(fields: readonly FieldNode[]): number {
    return fields.length > 0 ? countRepetitions(fields, this.#scope) : 0;
  }
}

/** Limits how many records a response contains. A record is many times as long as an alias that selects it again. */
export class RecordLimit {
  #remainingRecords: number;

  constructor(maxEntries: number) {
    this.#remainingRecords = Math.max(maxEntries, documentLimits.records);
  }

  /** Counts `count` records. For single names, the limits of documents suffice. Throws `query_too_large`. */
  spend(count: number, repetitions: () => number): void {
    if (count <= 1) return;
    this.#remainingRecords -= count * repetitions();
    if (this.#remainingRecords < 0)
      throw new Problem(
        'query_too_large',
        'The operation selects the same parts of too many records repeatedly; select each part once.',
      );
  }
}
