import { isObjectType, type FieldNode } from 'graphql';
import type { FieldLookup } from '../lookup/lookup-plan.ts';
import { Problem } from '../problems.ts';
import { limits } from './graphql-limits.ts';
import type { Operation } from './operation.ts';
import { fieldsOf, mostCopies } from './selections.ts';

/** What needs the registrar's own record. */
const registrarFields = new Set(['registrarRdap', 'registrarProblem']);
/** What needs the registry's whole record. */
const recordFields = new Set(['rdap', ...registrarFields]);
/** What needs to know of the registration more than the verdict says. */
const registrationFields = new Set(['phase']);

/** Finds out what is selected of rows and records, and limits how many records a response contains. */
export class SelectedParts {
  readonly #operation: Operation;
  #recordsLeft: number;

  constructor(operation: Operation, maxEntries: number) {
    this.#operation = operation;
    this.#recordsLeft = Math.max(maxEntries, limits.records);
  }

  /** Returns what the rows of a field need looked up; the response contains `count` of them. Throws `query_too_large`. */
  ofRows(node: FieldNode, count: number): Pick<FieldLookup, 'part' | 'registrarRecord'> {
    const fields = this.#fieldsOn('Domain', node);
    const records = fields.filter(({ name }) => recordFields.has(name.value));
    this.#spend(records, count);
    const registrarRecord = records.some(({ name }) => registrarFields.has(name.value));
    const registered = fields.some(({ name }) => registrationFields.has(name.value)) ? 'registration' : 'verdict';
    return { part: records.length > 0 ? 'record' : registered, registrarRecord };
  }

  /** Counts `count` records that are found by id. Throws `query_too_large`. */
  countRecords(node: FieldNode, count: number): void {
    this.#spend(this.#fieldsOn('Registration', node), count);
  }

  /** Returns the fields that are selected of objects of a type. */
  #fieldsOn(typeName: string, { selectionSet }: FieldNode): readonly FieldNode[] {
    const { schema, document, variables } = this.#operation;
    const type = schema.getType(typeName);
    return fieldsOf(selectionSet, { document, ...(variables && { variables }), ...(isObjectType(type) && { type }) });
  }

  /** A record is many times as long as an alias that selects it again. For single names, the limits of documents suffice. */
  #spend(fields: readonly FieldNode[], count: number): void {
    if (fields.length === 0 || count <= 1) return;
    const { document, variables } = this.#operation;
    this.#recordsLeft -= count * mostCopies(fields, { document, ...(variables && { variables }) });
    if (this.#recordsLeft < 0)
      throw new Problem('query_too_large', 'The operation selects the same parts of too many records repeatedly; select each part once.');
  }
}
