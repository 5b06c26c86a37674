import { csvColumns } from '../../../shared/csv.ts';
import { errorCodeOf, errorTypes } from '../../messages/error-object.ts';
import { problems, type ProblemCode } from '../../../domain/problems.ts';
import { rdapOperation, statusOperation } from '../saved-operations.ts';
import { baseSchema } from '../../../../schema/schema.ts';
import { catalogueShapes, sourceDescriptions } from './catalogue.ts';
import {
  objectOf,
  openEnum,
  orNull,
  schemaRef,
  type JsonSchema,
  type Properties,
} from './json-schema.ts';
import { objectShapes } from './object-shapes.ts';
import { operationShape } from './operation-shape.ts';
import { siteShapes } from './site-shapes.ts';

/** Returns the schemas of the REST API, by name (`components.schemas`). */
export function shapes(): Properties {
  const { problem: _problem, ...row } = operationShape(baseSchema, statusOperation).properties;
  const record = operationShape(baseSchema, rdapOperation);
  const { LookupProblem: _lookupProblem, ...types } = record.types;
  const registration = splitRegistration(types);
  return {
    ...objectShapes(),
    ...siteShapes(),
    ...types,
    Registration: registration.shape,
    Row: rowShape({ input: entryShape, ...row, detail: detailShape }, ['input', 'detail']),
    BulkRow: rowShape({ index: indexShape, input: inputShape, ...row, detail: detailShape }, [
      'detail',
    ]),
    ...statusShapes,
    ...bulkShapes,
    ...catalogueShapes,
    // Not `Record`: generated code would shadow TypeScript's built-in type.
    DomainRecord: recordShape(
      { input: entryShape, ...record.properties },
      registration.recordMembers,
    ),
    RecordProblem: recordProblemShape,
    Problem: problemShape(),
    ErrorObject: errorShape(),
    FieldError: fieldErrorShape,
  };
}

/** Returns the schema of a row: `reason` is omitted instead of null. */
function rowShape(
  { reason, latency_ms: latencyMs, source, ...properties }: Properties,
  optional: readonly string[] = [],
): JsonSchema {
  return objectOf(
    {
      ...properties,
      source: { ...source, ...orNull(openEnum(sourceDescriptions)) },
      latency_ms: { ...latencyMs, type: 'integer' },
      reason: { ...reason, type: 'string' },
    },
    [...optional, 'reason'],
  );
}

const indexShape = {
  type: 'integer',
  minimum: 0,
  description: 'Position of the input, starting at 0.',
};
const detailShape = {
  type: 'string',
  description: 'What happened, in one sentence. Present with `reason`.',
};
const inputShape = {
  type: 'string',
  description: 'The input as sent; with `names` and `tlds`, the pair joined by a dot.',
};
const entryShape = {
  type: 'string',
  description: 'The full domain name as sent; the first spelling if the name was sent in several.',
};
const cachedMember = {
  type: 'boolean',
  description:
    'Whether every answer came from the cache. Rows that need no lookup, such as invalid names, do not count; false if there are no others.',
};
const latencyMember = { type: 'integer', description: 'Duration of the call in milliseconds.' };

const count = (description: string) => ({ type: 'integer', minimum: 0, description });
const pendingMember = count('Results without an answer yet. Only with `budget_ms`.');
const durationMember = count('Duration of the call in milliseconds.');

const statusShapes: Properties = {
  Status: objectOf({
    name: orNull({
      type: 'string',
      description:
        'The label that was looked up, as an A-label. With the parameter `domain`, the label of the name; null if there are several names or the entry is invalid.',
    }),
    results: {
      type: 'array',
      items: schemaRef('Row'),
      description: 'One row per distinct name, in request order.',
    },
    cached: cachedMember,
    latency_ms: latencyMember,
    meta: schemaRef('Summary'),
  }),
  Summary: objectOf(
    {
      total_checked: count('Number of results.'),
      available_count: count('Number of results with `available: true`.'),
      pending: pendingMember,
      duration_ms: durationMember,
    },
    ['pending'],
  ),
};

/** The schema of a line in an NDJSON bulk response. */
export const bulkLineShape: JsonSchema = {
  description:
    'One line of a streamed response: a result, in completion order, or, as the last line, the totals.',
  anyOf: [schemaRef('BulkRow'), objectOf({ meta: schemaRef('Tally') })],
};

export const csvShape: JsonSchema = {
  type: 'string',
  description: `CSV (RFC 4180) in UTF-8. The first line names the columns, the fields of a result: ${csvColumns.join(', ')}. A cell is empty if the field is null or absent. A text that a spreadsheet would read as a formula begins with an apostrophe. New columns are added at the end.`,
};

const bulkShapes: Properties = {
  Bulk: objectOf({
    results: {
      type: 'array',
      items: schemaRef('BulkRow'),
      description: 'One result per input, in input order.',
    },
    cached: cachedMember,
    latency_ms: latencyMember,
    meta: schemaRef('Tally'),
  }),
  Tally: objectOf(
    {
      total: count('Number of results.'),
      available: count('Number of results with `available: true`.'),
      registered: count('Number of results with `available: false`, regardless of their status.'),
      unknown: count(
        'Number of results with `available: null`, including pending ones but not invalid ones.',
      ),
      invalid: count('Number of inputs that are not valid names.'),
      total_checked: count('Older name for `total`.'),
      available_count: count('Older name for `available`.'),
      pending: pendingMember,
      duration_ms: durationMember,
      credits: schemaRef('Cost'),
    },
    ['pending', 'credits'],
  ),
  Cost: {
    description:
      'The cost of the call. Only in streamed responses, whose headers are sent before the cost is final.',
    ...objectOf({
      requested: count('The price, reserved before the lookups.'),
      charged: count('The price of the names that received a verdict.'),
      refunded: count('Requested minus charged credits.'),
      remaining: count('Credits left this month.'),
    }),
  },
};

/**
 * Separates the nameservers and the registry's own object from a registration, because a record has
 * them at top level. Throws if the operation does not select both.
 */
function splitRegistration(types: Properties): {
  shape: JsonSchema;
  recordMembers: { nameservers: JsonSchema; raw: JsonSchema };
} {
  const { properties = {}, description = '' } = types['Registration'] ?? {};
  const { nameservers, raw, ...members } = properties as Properties;
  if (!nameservers || !raw)
    throw new Error('The record operation must select nameservers and raw.');
  return { shape: { description, ...objectOf(members) }, recordMembers: { nameservers, raw } };
}

/** Returns the schema of a record. Its `problem` is absent if RDAP gave the verdict. */
function recordShape(
  { rdap, problem: _problem, ...properties }: Properties,
  { nameservers, raw }: Properties,
): JsonSchema {
  const members = {
    ...properties,
    nameservers: { ...nameservers },
    registration: {
      ...rdap,
      description: 'The registration; null if the name is not registered, or with a `problem`.',
    },
    rdap: {
      ...raw,
      description: "The registry's own object (RFC 9083), as sent; null if there is none.",
    },
    problem: schemaRef('RecordProblem'),
  };
  return rowShape(members, ['problem']);
}

const recordProblemShape: JsonSchema = {
  description: 'Why there is a verdict but no record. Absent otherwise.',
  ...objectOf({
    code: {
      ...openEnum({ no_rdap: problems.no_rdap.title }),
      description: 'Machine-readable problem code.',
    },
    detail: { type: 'string', description: 'Which of the reasons applies.' },
  }),
};

function problemShape(): JsonSchema {
  const codes = Object.fromEntries(
    Object.entries(problems).map(([code, { title }]) => [code, title]),
  );
  const properties = {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Human-readable documentation of the code.',
    },
    title: { type: 'string', description: 'Human-readable title of the problem type.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What happened, and how to fix it.' },
    instance: {
      type: 'string',
      description: 'The path that was requested; absent in some `overloaded` responses.',
    },
    code: { ...openEnum(codes), description: 'Machine-readable problem code.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    retry_after: { type: 'integer', description: 'Seconds to wait before a retry.' },
    request_id: {
      type: 'string',
      format: 'uuid',
      description:
        'Identifies the request in the log: include it when you contact the operator of the gateway. Absent in some `overloaded` responses, like `X-Request-Id`.',
    },
    param: { type: 'string', description: 'The invalid parameter or body member.' },
    errors: {
      type: 'array',
      items: schemaRef('FieldError'),
      description: 'All field errors, if there are several.',
    },
    credits_required: count('Price of the call (402).'),
    credits_remaining: count('Credits left this month (402).'),
    resets_at: {
      type: 'string',
      format: 'date-time',
      description: 'Start of the next calendar month (UTC), when the credits are reset (402).',
    },
    message: { type: 'string', description: 'The same as `detail`.' },
    error: schemaRef('ErrorObject'),
  };
  const optional = [
    'instance',
    'request_id',
    'retry_after',
    'param',
    'errors',
    'credits_required',
    'credits_remaining',
    'resets_at',
  ];
  return {
    description: 'Error response (RFC 9457).',
    ...objectOf(properties, optional),
  };
}

function errorShape(): JsonSchema {
  const codes = Map.groupBy(Object.keys(problems) as ProblemCode[], errorCodeOf);
  const descriptions = Array.from(codes, ([code, problemCodes]) => [
    code,
    problemCodes.map((each) => `\`${each}\``).join(', '),
  ]);
  const properties = {
    code: {
      ...openEnum(Object.fromEntries(descriptions)),
      description:
        'Error code, as client libraries of the public API name it; several problem codes may share one.',
    },
    type: { ...openEnum(errorTypes), description: 'The class of the error.' },
    message: { type: 'string', description: 'The same as `detail`.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    retry_after: { type: 'integer', description: 'Seconds to wait before a retry.' },
    request_id: {
      type: 'string',
      format: 'uuid',
      description: 'The same as `request_id` of the problem.',
    },
    docs_url: {
      type: 'string',
      format: 'uri',
      description: 'Human-readable documentation of the code.',
    },
  };
  return {
    description: 'The same problem in the format that client libraries of the public API expect.',
    ...objectOf(properties, ['retry_after', 'request_id']),
  };
}

const fieldErrorShape = objectOf({
  param: { type: 'string', description: 'The parameter or body member.' },
  code: { type: 'string', description: 'A problem code.' },
  detail: { type: 'string', description: 'What is wrong with the value.' },
});
