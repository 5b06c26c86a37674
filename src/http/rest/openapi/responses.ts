import type { JsonObject } from '../../../domain/registration.ts';
import { resolutions } from '../../messages/resolutions.ts';
import { errorCodeOf, errorTypeOf, errorTypes } from '../../messages/error-object.ts';
import { lookupProblemCodes, problems, type ProblemCode } from '../../../domain/problems.ts';
import { creditHeaderNames, headerRefs, rateLimitHeaderNames, type HeaderName } from './headers.ts';
import * as shape from '../shape.ts';
import type { JsonSchema, Properties } from '../shape.ts';

/** Returns the error responses of an operation: one per status, with one example per code. */
export function problemResponses(
  codes: readonly ProblemCode[],
  extraHeaders: readonly HeaderName[] = [],
): JsonObject {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  const responses = Array.from(byStatus, ([status, sameStatus]) => [
    String(status),
    problemResponse(sameStatus, [...headersOf(status, sameStatus), ...extraHeaders]),
  ]);
  return { ...Object.fromEntries(responses), default: problemResponse(commonCodes, extraHeaders) };
}

/** Codes that any operation may return. */
const commonCodes = [
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'headers_too_large',
  'malformed_request',
] as const;

function problemResponse(
  codes: readonly ProblemCode[],
  extraHeaders: readonly HeaderName[],
): JsonObject {
  const body = {
    schema: shape.schemaRef('Problem'),
    examples: Object.fromEntries(
      codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    ),
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
    headers: headerRefs(['X-Request-Id', 'Cache-Control', ...extraHeaders]),
    // Both media types share a schema, so that generated clients have a single type.
    content: { 'application/problem+json': body, 'application/json': body },
  };
}

function headersOf(status: number, codes: readonly ProblemCode[]): readonly HeaderName[] {
  return [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...rateLimitHeaderNames,
    ...(codes.some((code) => codesAfterReservation.includes(code)) ? creditHeaderNames : []),
  ];
}

/** Codes that occur after credits have been reserved: their responses carry the credit headers. */
const codesAfterReservation: readonly ProblemCode[] = [
  'unsupported_tld',
  'special_use',
  'no_registry',
  'internal',
  ...lookupProblemCodes,
];

function example(code: ProblemCode): JsonObject {
  const { title, status, retryable } = problems[code];
  const hasRetryAfter = status === 429 || status === 503;
  const type = `http://127.0.0.1:4000/docs/errors#${code}`;
  const hints = {
    retryable,
    ...(hasRetryAfter && { retry_after: 30 }),
    request_id: '3f0c9a52-6c1e-4a57-9a39-0d1f5a7c2b10',
  };
  const message = resolutions[code];
  const creditMembers = {
    credits_required: 26,
    credits_remaining: 10,
    resets_at: '2026-12-01T00:00:00.000Z',
  };
  return {
    type,
    title,
    status,
    detail: message,
    instance: '/v1/status',
    code,
    ...hints,
    ...(code === 'insufficient_credits' && creditMembers),
    message,
    error: {
      code: errorCodeOf(code),
      type: errorTypeOf(code),
      message,
      status,
      ...hints,
      docs_url: type,
    },
  };
}

/** Returns an example of each problem that the paths refer to. */
export function problemExamples(paths: JsonObject): JsonObject {
  const text = JSON.stringify(paths);
  const codes = (Object.keys(problems) as ProblemCode[]).filter((code) =>
    text.includes(`"#/components/examples/${code}"`),
  );
  return Object.fromEntries(
    codes.map((code) => [code, { summary: problems[code].title, value: example(code) }]),
  );
}

const requestId = (description: string): JsonSchema => ({
  type: 'string',
  format: 'uuid',
  description,
});
const status: JsonSchema = { type: 'integer', description: 'The HTTP status.' };
const retryable = shape.flag('Whether the same request may succeed later.');
const retryAfter: JsonSchema = { type: 'integer', description: 'Seconds to wait before a retry.' };
const docs = {
  type: 'string',
  format: 'uri',
  description: 'Human-readable documentation of the code.',
};
const message = shape.text('The same as `detail`.');

const fieldError = shape.objectOf({
  param: shape.text('The parameter or body member.'),
  code: shape.text('A problem code.'),
  detail: shape.text('What is wrong with the value.'),
});

/** Returns the schemas of error responses, by name. */
export function problemSchemas(): Properties {
  return { Problem: problemSchema(), ErrorObject: errorSchema(), FieldError: fieldError };
}

function problemSchema(): JsonSchema {
  const codes = Object.entries(problems).map(([code, { title }]) => [code, title]);
  const properties = {
    type: docs,
    title: shape.text('Human-readable title of the problem type.'),
    status,
    detail: shape.text('What happened, and how to fix it.'),
    instance: shape.text('The path that was requested; absent in some `overloaded` responses.'),
    code: shape.openEnum(Object.fromEntries(codes), 'Machine-readable problem code.'),
    retryable,
    retry_after: retryAfter,
    request_id: requestId(
      'Identifies the request in the log: include it when you contact the operator of the gateway. Absent in some `overloaded` responses, like `X-Request-Id`.',
    ),
    param: shape.text('The invalid parameter or body member.'),
    errors: shape.list('All field errors, if there are several.', shape.schemaRef('FieldError')),
    credits_required: shape.count('Price of the call (402).'),
    credits_remaining: shape.count('Credits left this month (402).'),
    resets_at: {
      type: 'string',
      format: 'date-time',
      description: 'Start of the next calendar month (UTC), when the credits are reset (402).',
    },
    message,
    error: shape.schemaRef('ErrorObject'),
  };
  const optional =
    'instance request_id retry_after param errors credits_required credits_remaining resets_at';
  return {
    description: 'Error response (RFC 9457).',
    ...shape.objectOf(properties, optional.split(' ')),
  };
}

function errorSchema(): JsonSchema {
  const codes = Map.groupBy(Object.keys(problems) as ProblemCode[], errorCodeOf);
  const descriptions = Array.from(codes, ([code, problemCodes]) => [
    code,
    problemCodes.map((each) => `\`${each}\``).join(', '),
  ]);
  const properties = {
    code: shape.openEnum(
      Object.fromEntries(descriptions),
      'Error code, as client libraries of the public API name it; several problem codes may share one.',
    ),
    type: shape.openEnum(errorTypes, 'The class of the error.'),
    message,
    status,
    retryable,
    retry_after: retryAfter,
    request_id: requestId('The same as `request_id` of the problem.'),
    docs_url: docs,
  };
  return {
    description: 'The same problem in the format that client libraries of the public API expect.',
    ...shape.objectOf(properties, ['retry_after', 'request_id']),
  };
}
