import type { JsonObject } from '../../domain/registration.ts';
import { invalidParameter } from '../../domain/problems.ts';
import { confirmNames } from '../../domain/source.ts';
import { maxBudgetMs, type QueryParameters } from '../../server/messages/parameters.ts';
import parameters from './parameters.json' with { type: 'json' };
import type { JsonSchema, Properties } from './shape.ts';

// How OpenAPI describes parameters. Keys are their names in `components.parameters`. The REST
// reference fills in those with an example, so only those that are valid together have one.

/** Describes a query parameter. */
export function queryParameter(name: string, schema: JsonSchema, description: string): JsonObject {
  return { name, in: 'query', description, schema };
}

/** Describes a header. */
export function headerParameter(
  name: string,
  description: string,
  schema: JsonSchema = {},
): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}

/** Describes a list as comma-separated; repeated parameters are accepted, too. */
export function listParameter(name: string, description: string, example?: string[]): JsonObject {
  const schema = {
    type: 'array',
    minItems: 1,
    items: { type: 'string' },
    ...(example && { examples: [example] }),
  };
  return { ...queryParameter(name, schema, description), style: 'form', explode: false };
}

export const maxAgeParameter: JsonObject = parameters.max_age;
export const maxAgeDescription = parameters.max_age.description;

export const budgetDescription =
  `Time limit of the lookups in milliseconds, from 0 to ${maxBudgetMs}. Rows without an answer by then have \`status: pending\` and ` +
  '`available: null`; their lookups continue and are charged, so that a repeated call soon returns them. Set it below the timeout of your client, ' +
  'such as 8000 for a timeout of 10 s. By default, the response waits for every row.';

export const confirmDescription =
  'Which verdicts the registry must confirm. `all`, the default: each name is looked up at its registry, and the DNS is only used to check `available`, or if ' +
  'the registry fails. `available`: a fast search, in which a name that its parent zone delegates is `registered` with `source: dns`, without a ' +
  'request to the registry, even if the registry would report `redemption` or `pending_delete`; all other names are looked up.';

export const confirmParameter = queryParameter(
  'confirm',
  { type: 'string', enum: confirmNames, default: 'all' },
  confirmDescription,
);

export const budgetParameter = queryParameter(
  'budget_ms',
  { type: 'integer', minimum: 0, maximum: maxBudgetMs, examples: [8000] },
  budgetDescription,
);

const { naming, 'Service-Naming': serviceNaming, 'If-None-Match': ifNoneMatch } = parameters;
export const namingParameters: Properties = { naming, 'Service-Naming': serviceNaming };
export const ifNoneMatchParameter: Properties = { 'If-None-Match': ifNoneMatch };

/** A parameter of one endpoint, which is an argument of its field. */
export interface FieldParameter<T = unknown> {
  /** Its type in GraphQL. */
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
    read({ single }) {
      const text = single(param)?.trim().toLowerCase();
      if (text === undefined) return defaultValue;
      if (['true', '1', 'yes', 'on'].includes(text)) return true;
      if (['false', '0', 'no', 'off'].includes(text)) return false;
      throw invalidParameter(param, `${param} must be true or false.`);
    },
  };
}
