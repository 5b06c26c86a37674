import {
  defaultTypeResolver,
  getArgumentValues,
  GraphQLError,
  isObjectType,
  locatedError,
  responsePathAsArray,
  type ExecutionResult,
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLResolveInfo,
} from 'graphql';
import type { Context } from './context.ts';
import type { ResultForm } from './json-form.ts';
import type { Arguments, PreparedField, PreparedObject, Shape } from './prepared-fields.ts';

/** What the fields of an operation have in common. */
export type ExecutionScope = Pick<
  GraphQLResolveInfo,
  'schema' | 'fragments' | 'operation' | 'variableValues' | 'rootValue'
> & { readonly contextValue: Context };

type Path = GraphQLResolveInfo['path'];
type RootArguments = readonly (Arguments | undefined)[];

/**
 * Executes an operation as graphql-js does (`Executor` there), from fields that were prepared once.
 * What is available at once needs no promise.
 */
export class Executor {
  readonly #scope: ExecutionScope;
  readonly #form: ResultForm;
  readonly #errors: GraphQLError[] = [];
  /** The positions of errors. What is below them is not part of the response. */
  readonly #nulls = new Set<Path | undefined>();

  constructor(scope: ExecutionScope, form: ResultForm) {
    this.#scope = scope;
    this.#form = form;
  }

  /** Executes the root fields. `args`: their arguments, as far as they are known. */
  execute(root: PreparedObject, args: RootArguments): ExecutionResult | Promise<ExecutionResult> {
    const { rootValue, operation } = this.#scope;
    const onError = (error: unknown) => {
      this.#addError(error as GraphQLError, undefined);
      return this.#resultOf(null);
    };

    let data: unknown;
    try {
      data =
        operation.operation === 'mutation'
          ? this.#executeSerially(root, rootValue, args)
          : this.#executeFields(root, rootValue, undefined, args);
    } catch (error) {
      return onError(error);
    }

    return data instanceof Promise
      ? data.then((completed) => this.#resultOf(completed), onError)
      : this.#resultOf(data);
  }

  #resultOf(completed: unknown): ExecutionResult {
    const errors = this.#errors;
    const data = (this.#form.data?.(completed) ?? completed) as { [key: string]: unknown } | null;
    return { ...(errors.length > 0 && { errors }), data };
  }

  async #executeSerially(
    root: PreparedObject,
    source: unknown,
    args: RootArguments,
  ): Promise<unknown> {
    const values: unknown[] = [];
    for (const [index, field] of root.fields.entries()) {
      const [value] = this.#resolve({ ...root, fields: [field] }, source, undefined, [args[index]]);
      const path = { prev: undefined, key: field.key, typename: root.type.name };
      values.push(await this.#complete(field, field.shape, value, path));
    }
    return this.#form.object(root, values);
  }

  #executeFields(
    object: PreparedObject,
    source: unknown,
    path: Path | undefined,
    args?: RootArguments,
  ): unknown {
    const { type, fields } = object;
    const values = this.#resolve(object, source, path, args);
    try {
      for (const [index, field] of fields.entries())
        values[index] = this.#complete(field, field.shape, values[index], {
          prev: path,
          key: field.key,
          typename: type.name,
        });
    } catch (error) {
      throw ignoringOthers(values, error);
    }

    const settled = whenSettled(values);
    return settled instanceof Promise
      ? settled.then((each) => this.#form.object(object, each))
      : this.#form.object(object, settled);
  }

  /**
   * Returns the values of all fields, or the errors that their resolvers have thrown. No value is
   * completed before: the order of the fields of a query is not specified.
   */
  #resolve(
    { type, fields }: PreparedObject,
    source: unknown,
    prev: Path | undefined,
    args?: RootArguments,
  ): unknown[] {
    const values: unknown[] = [];
    for (const field of fields) {
      const { definition, resolve, readsObjectAlone } = field;
      try {
        if (!resolve) values.push((source as Arguments)[definition.name]);
        else if (readsObjectAlone) values.push((resolve as (object: unknown) => unknown)(source));
        else {
          const path = { prev, key: field.key, typename: type.name };
          values.push(this.#call(field, resolve, source, args?.[values.length], path));
        }
      } catch (error) {
        const text = `Unexpected error value: ${String(error)}`;
        values.push(error instanceof Error ? error : new Error(text));
      }
    }

    return values;
  }

  #call(
    field: PreparedField,
    resolve: NonNullable<PreparedField['resolve']>,
    source: unknown,
    known: Arguments | undefined,
    path: Path,
  ): unknown {
    const { definition, nodes } = field;
    const { variableValues, contextValue } = this.#scope;
    const args = known ?? field.args ?? getArgumentValues(definition, nodes[0], variableValues);
    return resolve(source, args, contextValue, this.#infoOf(field, path));
  }

  #infoOf({ definition, nodes, parentType }: PreparedField, path: Path): GraphQLResolveInfo {
    return {
      ...this.#scope,
      fieldName: definition.name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType,
      path,
      getAbortSignal: () => undefined,
      getAsyncHelpers: unsupported,
    };
  }

  /** Completes the value at a position, which becomes null if that fails. Throws if it must not. */
  #complete(field: PreparedField, shape: Shape, value: unknown, path: Path): unknown {
    const onError = (error: unknown) => this.#nullOf(error, field, shape, path);
    try {
      const completed =
        value instanceof Promise
          ? value.then((settled) => this.#completed(field, shape, settled, path))
          : this.#completed(field, shape, value, path);
      return completed instanceof Promise ? completed.catch(onError) : completed;
    } catch (error) {
      return onError(error);
    }
  }

  #nullOf(error: unknown, { nodes }: PreparedField, { isNonNull }: Shape, path: Path): null {
    const located = locatedError(error, nodes, responsePathAsArray(path));
    if (isNonNull) throw located;
    this.#addError(located, path);
    return null;
  }

  #addError(error: GraphQLError, path: Path | undefined): void {
    for (let each = path; each; each = each.prev) if (this.#nulls.has(each)) return;
    if (this.#nulls.has(undefined)) return;
    this.#nulls.add(path);
    this.#errors.push(error);
  }

  #completed(field: PreparedField, shape: Shape, value: unknown, path: Path): unknown {
    if (value instanceof Error) throw value;
    if (value === null || value === undefined) {
      if (!shape.isNonNull) return null;
      throw new Error(`Cannot return null for non-nullable field ${nameOf(field)}.`);
    }

    if (shape.leaf) {
      const result = coerced(shape.leaf, value);
      return this.#form.leaf ? this.#form.leaf(result) : result;
    }

    if (shape.items) return this.#completeList(field, shape.items, value, path);
    const object = shape.abstract
      ? shape.selected?.(this.#typeOf(field, shape.abstract, value, path))
      : (shape.object ?? shape.selected?.());
    return this.#completeObject(object as PreparedObject, value, path);
  }

  #completeList(field: PreparedField, items: Shape, list: unknown, path: Path): unknown {
    if (typeof list !== 'object' || !(Symbol.iterator in (list as object)))
      throw new GraphQLError(
        `Expected Iterable, but did not find one for field "${nameOf(field)}".`,
      );

    const values: unknown[] = [];
    try {
      for (const item of list as Iterable<unknown>) {
        const position = { prev: path, key: values.length, typename: undefined };
        values.push(this.#complete(field, items, item, position));
      }
    } catch (error) {
      throw ignoringOthers(values, error);
    }

    const settled = whenSettled(values);
    if (!this.#form.list) return settled;
    return settled instanceof Promise
      ? settled.then((each) => this.#form.list?.(each))
      : this.#form.list(settled);
  }

  #typeOf(field: PreparedField, abstract: GraphQLAbstractType, value: unknown, path: Path) {
    const { schema, contextValue } = this.#scope;
    const resolveType = abstract.resolveType ?? defaultTypeResolver;
    const name = resolveType(value, contextValue, this.#infoOf(field, path), abstract);
    const type = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(type) || !schema.isSubType(abstract, type))
      throw new GraphQLError(`A value of "${abstract.name}" has none of its types.`);
    return type;
  }

  #completeObject(object: PreparedObject, value: unknown, path: Path): unknown {
    const form = this.#form;
    if (!object.isImmutable || !form.kept) return this.#executeFields(object, value, path);

    const kept = form.kept(object, value as object);
    if (kept !== undefined) return kept;

    const errorsBefore = this.#errors.length;
    const completed = this.#executeFields(object, value, path);
    const isWhole = this.#errors.length === errorsBefore && !(completed instanceof Promise);
    if (isWhole) form.keep?.(object, value as object, completed);
    return completed;
  }
}

/** Returns the values, or a promise of them. */
function whenSettled(values: readonly unknown[]): readonly unknown[] | Promise<readonly unknown[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : values;
}

/** Returns an error with which an object or a list fails, whatever becomes of its other values. */
function ignoringOthers(values: readonly unknown[], error: unknown): unknown {
  void Promise.allSettled(values);
  return error;
}

function coerced(type: GraphQLLeafType, value: unknown): unknown {
  const result = type.coerceOutputValue(value);
  if (result === null || result === undefined)
    throw new Error(`A value of "${type.name}" was coerced to null.`);
  return result;
}

function nameOf({ parentType, definition }: PreparedField): string {
  return `${parentType.name}.${definition.name}`;
}

function unsupported(): never {
  throw new Error('Resolvers of this schema await all their work.');
}

/** An object without a prototype is slow. One whose prototype has none is fast. */
const ResultObject = function () {} as unknown as new () => Record<string, unknown>;
ResultObject.prototype = Object.create(null);

export const objectTree: ResultForm = {
  object({ fields }, values) {
    const result = new ResultObject();
    let index = 0;
    for (const { key } of fields) result[key] = values[index++];
    return result;
  },
};
