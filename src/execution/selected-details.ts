import { isObjectType, Kind, type FieldNode, type GraphQLResolveInfo } from 'graphql';
import type { SelectedField, Extension } from '../domain/extension.ts';
import { Problem } from '../domain/problems.ts';
import { includesRecord, type Detail } from '../domain/source.ts';
import type { FieldLookup } from '../lookup/lookup-plan.ts';
import { once } from '../shared/memoize.ts';
import { documentLimits } from './document-limits.ts';
import { factsOf, rowParts, type RowPart } from './field-facts.ts';
import {
  coercedArguments,
  countRepetitions,
  fieldsIn,
  type SelectionScope,
  type VariableValues,
} from './selections.ts';

/** Describes which parts of rows and records a root field selects. Computes each property once. */
export class Selection {
  readonly #nodes: readonly FieldNode[];
  readonly #scope: SelectionScope;
  readonly #fieldsByType = new Map<string, readonly FieldNode[]>();
  readonly #lookupsByType = new Map<string, readonly FieldNode[]>();

  /** `nodes`: those with the response key of the field. */
  constructor(nodes: readonly FieldNode[], scope: SelectionScope) {
    this.#nodes = nodes;
    this.#scope = scope;
  }

  /** Returns how much detail the lookups of the rows require. */
  readonly requiredDetail = once((): Pick<FieldLookup, 'detail' | 'registrarRecord'> => {
    const parts = this.rowFields().map(({ reads }) => rowParts.indexOf(reads));
    const part = rowParts[Math.max(0, ...parts)] ?? 'name';
    return { detail: detailOf(part), registrarRecord: part === 'registrar' };
  });

  /** Returns the fields that are selected on rows, with what they state about themselves. */
  readonly rowFields = once(() => {
    const type = this.#scope.schema.getType('Domain');
    const fields = isObjectType(type) ? type.getFields() : {};
    return this.#fieldsOn('Domain').map((node) => {
      const field = fields[node.name.value];
      const reads: RowPart = field ? 'verdict' : 'name';
      return { node, reads, ...factsOf(field) };
    });
  });

  /** Returns how often the field selects the most repeated field. */
  readonly repetitions = once(() => countRepetitions(this.#nodes, this.#scope));

  /**
   * Returns the fields that are selected on a type, and that an extension looks up. Must be called
   * with the same extensions each time. Throws a `GraphQLError` if their arguments cannot be coerced.
   */
  extensionFields(
    typeName: string,
    extensions: readonly Extension[],
    variables: VariableValues | undefined,
  ): readonly SelectedField[] {
    const lookups = this.#lookupsByType.get(typeName) ?? this.#lookupsOn(typeName, extensions);
    this.#lookupsByType.set(typeName, lookups);
    const type = lookups.length > 0 ? this.#scope.schema.getType(typeName) : undefined;
    if (!isObjectType(type)) return [];

    return lookups.map((node) => ({
      name: node.name.value,
      args: coercedArguments(type, node, variables),
    }));
  }

  #lookupsOn(typeName: string, extensions: readonly Extension[]): readonly FieldNode[] {
    return this.#fieldsOn(typeName).filter(({ name: { value } }) =>
      extensions.some((extension) => extension.isLookup(value)),
    );
  }

  /** Returns the fields that are selected on a type, without `__typename`. */
  fieldNamesOn(typeName: string): readonly string[] {
    const names = this.#fieldsOn(typeName).map(({ name }) => name.value);
    return names.filter((name) => !name.startsWith('__'));
  }

  /** Returns the selections of the fields with a name, at any depth. */
  within(name: string): readonly Selection[] {
    const found: Selection[] = [];
    let fields = fieldsIn(this.#nodes, this.#scope);
    while (fields.length > 0) {
      const named = fields.filter((field) => field.name.value === name);
      if (named.length > 0) found.push(new Selection(named, this.#scope));
      fields = fieldsIn(fields, this.#scope);
    }

    return found;
  }

  /** Returns how often a row selects the most repeated field of its records; 0 without records. */
  readonly rowRepetitions = once(() =>
    this.#repetitionsOf(
      this.rowFields().flatMap(({ node, reads }) => (includesRecord(detailOf(reads)) ? node : [])),
    ),
  );

  /** Returns the same as `rowRepetitions` for records that are selected by id. */
  readonly recordRepetitions = once(() => this.#repetitionsOf(this.#fieldsOn('Registration')));

  #fieldsOn(typeName: string): readonly FieldNode[] {
    const existing = this.#fieldsByType.get(typeName);
    if (existing) return existing;
    const type = this.#scope.schema.getType(typeName);
    const fields = fieldsIn(this.#nodes, { ...this.#scope, ...(isObjectType(type) && { type }) });
    this.#fieldsByType.set(typeName, fields);
    return fields;
  }

  #repetitionsOf(fields: readonly FieldNode[]): number {
    return fields.length > 0 ? countRepetitions(fields, this.#scope) : 0;
  }
}

/** Returns the detail of an answer that has a part of a row. */
function detailOf(part: RowPart): Detail {
  if (part === 'name') return 'verdict';
  return part === 'registrar' ? 'rdap' : part;
}

/** Returns how much detail the row of a field requires, which is not a root field. */
export function detailIn(info: GraphQLResolveInfo): FieldLookup['detail'] {
  const { fieldNodes, schema, operation, fragments, variableValues: variables } = info;
  const definitions = [operation, ...Object.values(fragments)];

  return new Selection(fieldNodes, {
    schema,
    document: { kind: Kind.DOCUMENT, definitions },
    variables,
  }).requiredDetail().detail;
}

/**
 * Limits the records in a response, counting repetitions: an alias of a few characters can repeat a
 * record of many kilobytes.
 */
export class RecordLimit {
  #remainingRecords: number;

  constructor(maxEntries: number) {
    this.#remainingRecords = Math.max(maxEntries, documentLimits.records);
  }

  /**
   * Counts `count` records with their repetitions. A single record is not counted, because the
   * document limits already bound it. Throws `query_too_large` above the limit.
   */
  spend(count: number, repetitions: () => number): void {
    if (count <= 1) return;

    this.#remainingRecords -= count * repetitions();
    if (this.#remainingRecords < 0)
      throw new Problem(
        'query_too_large',
        'The operation selects the same fields several times for too many records. Select each field once.',
      );
  }
}
