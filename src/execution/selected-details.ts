import { isObjectType, Kind, type FieldNode, type GraphQLResolveInfo } from 'graphql';
import type { SelectedField, Extension } from '../domain/extension.ts';
import { Problem } from '../domain/problems.ts';
import type { FieldLookup } from '../lookup/lookup-plan.ts';
import { once } from '../shared/memoize.ts';
import { documentLimits } from './document-limits.ts';
import {
  coercedArguments,
  countRepetitions,
  fieldsIn,
  type SelectionScope,
  type VariableValues,
} from './selections.ts';

/** Fields of `Domain` that need the registrar's record. */
const registrarFields = new Set(['registrarRdap', 'registrarProblem']);
/** Fields of `Domain` that need the registry's record from RDAP. */
const rdapFields = new Set(['rdap', ...registrarFields]);
/** Fields of `Domain` that need the registry's record. */
const recordFields = new Set([
  'registration',
  'abuseContacts',
  'timeline',
  'variants',
  ...rdapFields,
]);
/** Fields of `Domain` that need the registry's answer, even if the DNS gives a verdict. */
const registrationFields = new Set(['phase', 'evidence']);

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
    const names = this.#fieldsOn('Domain').map(({ name }) => name.value);
    const selects = (fields: ReadonlySet<string>) => names.some((name) => fields.has(name));
    const minDetail = selects(registrationFields) ? 'registration' : 'verdict';
    const detail = selects(recordFields) ? 'record' : minDetail;

    return {
      detail: selects(rdapFields) ? 'rdap' : detail,
      registrarRecord: selects(registrarFields),
    };
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
      this.#fieldsOn('Domain').filter(({ name }) => recordFields.has(name.value)),
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
