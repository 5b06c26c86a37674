import type { JsonObject } from '../../domain/registration.ts';
import { invalidParameter } from '../../domain/problems.ts';
import type { QueryParameters } from '../../server/messages/parameters.ts';
import parameters from './parameters.json' with { type: 'json' };
import type { JsonSchema, Properties } from './shape.ts';

/**
 * Returns how OpenAPI describes parameters, by their names in `components.parameters`. The REST
 * reference fills in those with an example, so only those that are valid together have one. Lists
 * are described as comma-separated; repeated parameters are accepted, too.
 */
export function parametersNamed(...names: readonly (keyof typeof parameters)[]): Properties {
  return Object.fromEntries(names.map((name) => [name, parameters[name]]));
}

/** Describes a query parameter of a feature. */
export function queryParameter(name: string, schema: JsonSchema, description: string): JsonObject {
  return { name, in: 'query', description, schema };
}

/** A parameter of one endpoint, which is an argument of its field. */
export interface FieldParameter<T = unknown> {
  /** Type of the variable in GraphQL. */
  readonly type: string;
  readonly description: Properties;
  /** Throws a problem that names the parameter. */
  read(parameters: QueryParameters): T;
}

/** Declares a parameter that is true or false. Throws `invalid_parameter` for other values. */
export function flagParameter(
  param: string,
  defaultValue: boolean,
  description: string,
): FieldParameter {
  const schema = { type: 'boolean', default: defaultValue };

  return {
    type: 'Boolean!',
    description: { [param]: queryParameter(param, schema, description) },
    read: (sent) => readFlag(param, sent, defaultValue),
  };
}

/** Reads a parameter that is true or false. Throws `invalid_parameter` for other values. */
export function readFlag(
  param: string,
  { single }: QueryParameters,
  defaultValue: boolean,
): boolean {
  const text = single(param)?.trim().toLowerCase();
  if (text === undefined) return defaultValue;
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;

  throw invalidParameter(param, `${param} must be true or false.`);
}
