import { parse, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { Context } from './context.ts';
import { Problem } from '../domain/problems.ts';
import { compile, type CompiledQuery } from './compiled-query.ts';
import { prepareOperation, type Operation, type PreparedOperation } from './operation.ts';

/** Maps arguments of an operation to the parameters of an endpoint, where their names differ. */
export type ParamNames = Readonly<Record<string, string>>;

/** A query that the gateway itself contains, prepared and compiled once. */
export class SavedOperation {
  readonly #prepared: PreparedOperation;
  readonly #compiled: CompiledQuery;

  /** Throws if the operation is not a query that can be compiled. */
  constructor(source: string, schema: GraphQLSchema) {
    this.#prepared = prepareSavedOperation(source, schema);
    const compiled = compile(schema, parse(source));
    if (!compiled) throw new Error(`This saved operation cannot be compiled: ${source}`);
    this.#compiled = compiled;
  }

  /** Coerces the variables. Throws an error that the operation's own code causes. */
  coerce(variables: Readonly<Record<string, unknown>>): Operation {
    return coerceSaved(this.#prepared, variables);
  }

  /** Runs the operation. Returns its data, or throws its first error, or `query_too_large`. */
  async run(
    { variables }: Operation,
    context: Context,
    paramNames: ParamNames = {},
  ): Promise<unknown> {
    const { data, errors } = await this.#compiled(context, variables?.coerced ?? {});
    if (errors?.[0]) throw errorOf(errors[0], paramNames);
    context.lookup.objectValues.check();
    return data;
  }
}

/** Prepares a saved query or subscription. */
export function prepareSavedOperation(source: string, schema: GraphQLSchema): PreparedOperation {
  const operation = prepareOperation({ schema, document: parse(source) });
  if (!operation) throw new Error('A saved document has several operations.');
  return operation;
}

/** Coerces the variables of a saved operation, which parsed requests always allow. */
export function coerceSaved(
  prepared: PreparedOperation,
  variables: Readonly<Record<string, unknown>>,
): Operation {
  const operation = prepared.coerce(variables);
  if (!operation.variables)
    throw operation.errors[0] ?? new Error('The variables of a saved operation cannot be coerced.');
  return operation;
}

/** Converts an error of a saved operation. Its `param` becomes the name that the endpoint uses. */
function errorOf({ originalError, message }: GraphQLError, paramNames: ParamNames): Error {
  if (!(originalError instanceof Problem)) return originalError ?? new Error(message);
  const { code, message: detail, param, cause, retryAfter } = originalError;
  return new Problem(code, detail, {
    cause,
    ...(param !== undefined && { param: paramNames[param] ?? param }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Adds the parameter that contains the names to the problem of too many names. */
export function namingTooManyLookups(error: unknown, param: string): unknown {
  return error instanceof Problem && error.code === 'too_many_lookups'
    ? new Problem(error.code, error.message, { param })
    : error;
}
