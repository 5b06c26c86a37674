import type { JsonObject } from '../../../domain/registration.ts';
import { lookupProblemCodes } from '../../../domain/problems.ts';
import { aliasParameters, hasAliases } from './aliases.ts';
import { catalogueDescriptions } from './catalogue.ts';
import { callerProblems } from './common-problems.ts';
import {
  defaultBaseUrl as gateway,
  type OperationDescription,
  type OperationDescriptions,
} from './operation-description.ts';
import { examples } from './examples.ts';
import {
  apiHeaders,
  creditHeaderNames,
  deprecationHeaderNames,
  headerRefs,
  rateLimitHeaderNames,
  cachingHeaderNames,
} from './headers.ts';
import { schemaRef } from './json-schema.ts';
import { objectRecordRefs } from './object-shapes.ts';
import { parameterRefs } from './parameters.ts';
import { problemResponses } from './responses.ts';
import { siteDescriptions } from './site-operations.ts';
import { bulkLineShape, csvShape } from './shapes.ts';

/** Returns the implemented paths with their operations. */
export function servedPaths(): JsonObject {
  return Object.fromEntries(
    Object.entries({ ...descriptions, ...siteDescriptions, ...catalogueDescriptions }).map(
      ([route, description]) => {
        const [method = '', path = ''] = route.split(' ');
        return [path, { [method.toLowerCase()]: operation(path, method === 'GET', description) }];
      },
    ),
  );
}

function operation(
  path: string,
  isGet: boolean,
  operationDescription: OperationDescription,
): JsonObject {
  const { tag, problems, success, content, streams, alternatives, curl, parameters, ...texts } =
    operationDescription;
  const deprecation = hasAliases(path) ? deprecationHeaderNames : [];
  const successHeaders = headerRefs([
    'X-Request-Id',
    'Cache-Control',
    'Server-Timing',
    ...(isGet ? cachingHeaderNames : []),
    ...apiHeaders,
    ...(tag !== 'TLDs' ? (['X-Data-Freshness'] as const) : []),
    ...creditHeaderNames,
    ...rateLimitHeaderNames,
    ...deprecation,
  ]);
  return {
    ...texts,
    tags: [tag],
    parameters: [...parameterRefs(parameters), ...aliasParameters(path)],
    responses: {
      200: {
        description: success,
        headers: successHeaders,
        content,
        ...(streams && { 'x-stream-content': streams }),
        ...(alternatives && { 'x-alternative-content': alternatives }),
      },
      ...(isGet && {
        304: {
          description: 'The body still matches the `ETag` in `If-None-Match`.',
          headers: successHeaders,
        },
      }),
      ...problemResponses(problems, [...apiHeaders, ...deprecation]),
    },
    'x-codeSamples': [{ lang: 'Shell', label: 'curl', source: curl }],
  };
}

const commonProblems = [...callerProblems, 'insufficient_credits'] as const;

const nameOperation = { tag: 'Names', success: 'The result of each lookup.' } as const;

const descriptions: OperationDescriptions = {
  'GET /v1/status': {
    ...nameOperation,
    operationId: 'getStatus',
    summary: 'Check the availability of names',
    description:
      'Checks one label under many TLDs (`name`, `tlds`), or full domain names (`domain`). If a registry fails or an entry is not a valid name, the row has a `reason` and a `detail`, and the response is still 200. With `Accept: text/csv`, the results are CSV with a header. A call may contain at most 50 TLDs or names; the operator may set another limit (`MAX_TLDS`).',
    parameters: [
      'name',
      'tlds',
      'domains',
      'max_age',
      'confirm',
      'budget_ms',
      'naming',
      'Service-Naming',
      'If-None-Match',
    ],
    problems: [
      'missing_parameter',
      'invalid_parameter',
      'invalid_name',
      'invalid_max_age',
      'invalid_naming',
      'too_many_tlds',
      'too_many_lookups',
      ...commonProblems,
    ],
    content: { 'application/json': { schema: schemaRef('Status'), examples: examples.status } },
    alternatives: { 'text/csv': { schema: csvShape, examples: examples.statusCsv } },
    curl: `curl '${gateway}/v1/status?name=taken&tlds=test,zz'`,
  },
  'GET /v1/rdap': {
    ...nameOperation,
    operationId: 'getRdap',
    summary: 'Get the registration of a name, or another object',
    description:
      'Returns one name with its registration and the registry’s own object. For an unregistered name, the response is a 200 with nulls. If only the availability service, the WHOIS server or the DNS gave the verdict, it is a 200 with nulls and a `problem`, and costs as much as a name without its registration. Without a verdict, it is a problem (502, 503, 504). With `query`, it also returns IP networks, autonomous systems, entities and nameservers, with `found: false` for one that does not exist.',
    parameters: [
      'domain',
      'query',
      'type',
      'tld',
      'max_age',
      'naming',
      'Service-Naming',
      'If-None-Match',
    ],
    problems: [
      'missing_parameter',
      'invalid_parameter',
      'invalid_name',
      'invalid_max_age',
      'invalid_naming',
      'unsupported_tld',
      'special_use',
      'no_registry',
      ...commonProblems,
      ...lookupProblemCodes,
    ],
    content: {
      'application/json': {
        schema: { oneOf: [schemaRef('DomainRecord'), ...objectRecordRefs] },
        examples: examples.rdap,
      },
    },
    curl: `curl '${gateway}/v1/rdap?domain=taken.test'`,
  },
  'POST /v1/status/bulk': {
    ...nameOperation,
    operationId: 'postStatusBulk',
    summary: 'Check the availability of many names',
    description:
      'Returns one result per input, in input order; equal names are looked up once. With `Accept: application/x-ndjson`, results are streamed one per line as soon as they are known, followed by a line of totals; with `Accept: text/csv`, as the lines of a CSV file with a header and without totals. A call may contain at most 500 distinct names; the operator may set another limit (`MAX_LOOKUPS`).',
    parameters: ['naming', 'Service-Naming', 'Idempotency-Key'],
    problems: [
      'missing_parameter',
      'invalid_parameter',
      'invalid_max_age',
      'invalid_naming',
      'invalid_body',
      'too_many_lookups',
      'request_timeout',
      'idempotency_conflict',
      'payload_too_large',
      'unsupported_media_type',
      ...commonProblems,
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: schemaRef('BulkRequest'), examples: examples.bulkRequest },
      },
    },
    content: { 'application/json': { schema: schemaRef('Bulk'), examples: examples.bulk } },
    streams: { 'application/x-ndjson': { itemSchema: bulkLineShape, examples: examples.bulkLine } },
    alternatives: { 'text/csv': { schema: csvShape, examples: examples.bulkCsv } },
    curl: `curl ${gateway}/v1/status/bulk -H 'content-type: application/json' -d '{"domains":["taken.test","free.test","not a name"]}'`,
  },
};
