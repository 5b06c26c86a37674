import type { JsonObject } from '../../../domain/registration.ts';
import base from './base.json' with { type: 'json' };
import {
  errorCodeOf,
  errorTypes,
  problemResponse,
} from '../../../server/messages/problem-response.ts';
import {
  lookupProblemCodes,
  Problem,
  problems,
  type ProblemCode,
} from '../../../domain/problems.ts';
import * as shape from '../shape.ts';
import type { JsonSchema, Properties } from '../shape.ts';
import headers from './headers.json' with { type: 'json' };

/** A response header that clients may read (`components.headers`). */
type HeaderName = keyof typeof headers;

/** Returns references to headers, for a response. */
export function headerRefs(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const rateLimitHeaderNames = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;
export const creditHeaderNames = [
  'X-Credits-Requested',
  'X-Credits-Charged',
  'X-Credits-Refunded',
  'X-Credits-Remaining',
] as const;
export const apiHeaders = ['X-API-Version', 'X-Response-Time'] as const;

/** Returns the error responses of an operation: one per status, with one example per code. */
export function problemResponses(
  codes: readonly ProblemCode[],
  extraHeaders: readonly HeaderName[] = [],
): JsonObject {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  const responses = Array.from(byStatus, ([status, sameStatus]) => [
    String(status),
    responseWith(sameStatus, [...headersOf(status, sameStatus), ...extraHeaders]),
  ]);
  return { ...Object.fromEntries(responses), default: responseWith(commonCodes, extraHeaders) };
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

function responseWith(
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
    ...(codes.some((code) => codesWithCredits.includes(code)) ? creditHeaderNames : []),
  ];
}

/** Codes of which some responses carry the credit headers: they occur after the cost is known. */
const codesWithCredits: readonly ProblemCode[] = [
  'not_found',
  'insufficient_credits',
  'not_implemented',
  'unsupported_tld',
  'special_use',
  'no_registry',
  'internal',
  'site_blocked',
  'site_timeout',
  'site_unreachable',
  'ct_unavailable',
  'cursor_expired',
  ...lookupProblemCodes,
];

/** Returns the body of a problem, as a gateway at its default address renders it. */
function example(code: ProblemCode): JsonObject {
  const { status, resolution } = problems[code];
  const hasRetryAfter = status === 429 || status === 503;
  const credits = { required: 26, remaining: 10, resetsAt: Date.UTC(2026, 11, 1) };
  const problem = new Problem(code, resolution, {
    ...(hasRetryAfter && { retryAfter: 30 }),
    ...(code === 'insufficient_credits' && { credits }),
  });
  const { body } = problemResponse(problem, {
    docsUrl: 'http://127.0.0.1:4000/docs',
    path: '/v1/status',
    requestId: '3f0c9a52-6c1e-4a57-9a39-0d1f5a7c2b10',
  });

  return JSON.parse(String(body));
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

/** Returns the schemas of error responses, by name, with the codes that they may have. */
export function problemSchemas(): Properties {
  const { schemas } = base;
  const titles = Object.entries(problems).map(([code, { title }]) => [code, title]);
  const codesByErrorCode = Map.groupBy(Object.keys(problems) as ProblemCode[], errorCodeOf);
  const errorCodes = Array.from(codesByErrorCode, ([code, problemCodes]) => [
    code,
    problemCodes.map((each) => `\`${each}\``).join(', '),
  ]);

  return {
    Problem: withProperties(schemas.Problem, {
      code: shape.openEnum(Object.fromEntries(titles), 'Machine-readable problem code.'),
    }),
    ErrorObject: withProperties(schemas.ErrorObject, {
      code: shape.openEnum(
        Object.fromEntries(errorCodes),
        'Error code, as client libraries of the public API name it; several problem codes may share one.',
      ),
      type: shape.openEnum(errorTypes, 'The class of the error.'),
    }),
    FieldError: schemas.FieldError,
  };
}

function withProperties(
  schema: JsonSchema & { readonly properties: Properties },
  properties: Properties,
): JsonSchema {
  return { ...schema, properties: { ...schema.properties, ...properties } };
}
