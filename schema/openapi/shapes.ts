import { errorCodeOf, errorTypes } from '../../src/http/response/error-object.ts';
import { problems, type ProblemCode } from '../../src/domain/problems.ts';
import { rdapOperation, statusOperation } from '../../src/http/rest/saved-operations.ts';
import { baseSchema } from '../schema.ts';
import { catalogueShapes } from './catalogue.ts';
import {
  objectOf,
  openEnum,
  orNull,
  schemaRef,
  type JsonSchema,
  type Properties,
} from './json-schema.ts';
import { operationShape } from './operation-shape.ts';

/** Every shape of the REST door, by name: what stands under `components.schemas`. */
export function shapes(): Properties {
  const status = operationShape(baseSchema, statusOperation);
  const record = operationShape(baseSchema, rdapOperation);
  const { LookupProblem: _lookupProblem, ...types } = record.types;
  const registration = splitRegistration(types);
  return {
    ...types,
    Registration: registration.shape,
    Row: rowShape({ input: entryShape, ...status.properties }, ['input']),
    BulkRow: rowShape({ index: indexShape, input: inputShape, ...status.properties }),
    ...statusShapes,
    ...bulkShapes,
    ...catalogueShapes,
    // Not `Record`: in generated code, that hides TypeScript's own type.
    DomainRecord: recordShape(
      { input: entryShape, ...record.properties },
      registration.recordMembers,
    ),
    Problem: problemShape(),
    ErrorObject: errorShape(),
    FieldError: fieldErrorShape,
  };
}

/** As rows are sent: `reason` is left out rather than null, and what the caching headers are made of is not sent. */
function rowShape(
  { reason, latency_ms: latencyMs, fresh_until: _freshUntil, ...properties }: Properties,
  optional: readonly string[] = [],
): JsonSchema {
  return objectOf(
    {
      ...properties,
      latency_ms: { ...latencyMs, type: 'integer' },
      reason: { ...reason, type: 'string' },
    },
    [...optional, 'reason'],
  );
}

const indexShape = {
  type: 'integer',
  minimum: 0,
  description: 'Where the input stood, from 0 on.',
};
const inputShape = {
  type: 'string',
  description: 'The input as it was sent; of `names` and `tlds`, the pair joined by a dot.',
};
const entryShape = {
  type: 'string',
  description: 'The full name as it was sent; of several spellings of one name, the first.',
};
const cachedMember = {
  type: 'boolean',
  description: 'Every answer came from the cache; rows that nobody was asked about aside.',
};
const latencyMember = { type: 'integer', description: 'Milliseconds that the whole call took.' };

const count = (description: string) => ({ type: 'integer', minimum: 0, description });
const pendingMember = count('Results that are not known yet. Only with `budget_ms`.');
const durationMember = count('Milliseconds that the whole call took.');

const statusShapes: Properties = {
  Status: objectOf({
    name: orNull({
      type: 'string',
      description:
        'The label that was looked up, as an A-label. With `domain`: that of the only name; null with several names, or an entry that is not a name.',
    }),
    results: {
      type: 'array',
      items: schemaRef('Row'),
      description: 'A row a name, in the order asked; equal ones are folded.',
    },
    cached: cachedMember,
    latency_ms: latencyMember,
    meta: schemaRef('Summary'),
  }),
  Summary: objectOf(
    {
      total_checked: count('Results.'),
      available_count: count('Results with `available: true`.'),
      pending: pendingMember,
      duration_ms: durationMember,
    },
    ['pending'],
  ),
};

/** A line of a bulk response in NDJSON. */
export const bulkLineShape: JsonSchema = {
  description:
    'One line of a streamed answer: a result, in the order in which they become known, or, as the last line, the sums.',
  anyOf: [schemaRef('BulkRow'), objectOf({ meta: schemaRef('Tally') })],
};

const bulkShapes: Properties = {
  Bulk: objectOf({
    results: {
      type: 'array',
      items: schemaRef('BulkRow'),
      description: 'A result per input, in input order.',
    },
    cached: cachedMember,
    latency_ms: latencyMember,
    meta: schemaRef('Tally'),
  }),
  Tally: objectOf(
    {
      total: count('Results.'),
      available: count('Results with `available: true`.'),
      registered: count('Results with `available: false`, whatever their status.'),
      unknown: count('Results with `available: null` that are names, pending ones included.'),
      invalid: count('Results that are no names.'),
      total_checked: count('An older name of `total`.'),
      available_count: count('An older name of `available`.'),
      pending: pendingMember,
      duration_ms: durationMember,
      credits: schemaRef('Cost'),
    },
    ['pending', 'credits'],
  ),
  Cost: {
    description:
      'What the call cost; only where results stream, as headers are sent before it is known.',
    ...objectOf({
      requested: count('The price, reserved before anything was looked up.'),
      charged: count('The price of what got a verdict.'),
      refunded: count('The difference.'),
      remaining: count('What is left this month.'),
    }),
  },
};

/** A record has the name servers and the registry's own object beside the registration. Throws where the operation leaves one out. */
function splitRegistration(types: Properties): {
  shape: JsonSchema;
  recordMembers: { nameservers: JsonSchema; raw: JsonSchema };
} {
  const { properties = {}, description = '' } = types['Registration'] ?? {};
  const { nameservers, raw, ...members } = properties as Properties;
  if (!nameservers || !raw) throw new Error('A record selects nameservers and raw.');
  return { shape: { description, ...objectOf(members) }, recordMembers: { nameservers, raw } };
}

/** A `problem` is sent in place of a record, so that no record has one. */
function recordShape(
  { rdap, problem: _problem, ...properties }: Properties,
  { nameservers, raw }: Properties,
): JsonSchema {
  return rowShape({
    ...properties,
    nameservers: { ...nameservers },
    registration: {
      ...rdap,
      description: 'The registration; null when the name is not registered.',
    },
    rdap: {
      ...raw,
      description: "The registry's own object (RFC 9083), as it was sent; null when there is none.",
    },
  });
}

function problemShape(): JsonSchema {
  const codes = Object.fromEntries(
    Object.entries(problems).map(([code, { title }]) => [code, title]),
  );
  const properties = {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Where the code is explained, for people.',
    },
    title: { type: 'string', description: 'The kind of problem, in words.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What happened here, and what to do about it.' },
    instance: {
      type: 'string',
      description: 'The path that was requested; absent in some `overloaded` responses.',
    },
    code: { ...openEnum(codes), description: 'The kind of problem, for programs.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    retry_after: { type: 'integer', description: 'Seconds after which to try again.' },
    request_id: {
      type: 'string',
      format: 'uuid',
      description:
        'To be quoted to the operator of the gateway: it is in the log. Absent in some `overloaded` responses, as `X-Request-Id` is.',
    },
    param: { type: 'string', description: 'The parameter, or the member of the body, at fault.' },
    errors: {
      type: 'array',
      items: schemaRef('FieldError'),
      description: 'Every culprit, where there are several.',
    },
    credits_required: count('What the call would cost (402).'),
    credits_remaining: count('What is left this month (402).'),
    resets_at: {
      type: 'string',
      format: 'date-time',
      description: 'When the next month begins (402).',
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
    description: 'An answer that is not data (RFC 9457).',
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
      description: 'The kind of problem; several kinds may share a code.',
    },
    type: { ...openEnum(errorTypes), description: 'The class of the error.' },
    message: { type: 'string', description: 'The same as `detail`.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
    retry_after: { type: 'integer', description: 'Seconds after which to try again.' },
    request_id: {
      type: 'string',
      format: 'uuid',
      description: 'The same as `request_id` of the problem.',
    },
    docs_url: {
      type: 'string',
      format: 'uri',
      description: 'Where the code is explained, for people.',
    },
  };
  return {
    description: 'The problem as client libraries of the public API read it.',
    ...objectOf(properties, ['retry_after', 'request_id']),
  };
}

const fieldErrorShape = objectOf({
  param: { type: 'string', description: 'The parameter, or the member of the body.' },
  code: { type: 'string', description: 'A problem code.' },
  detail: { type: 'string', description: 'What is wrong with it.' },
});
