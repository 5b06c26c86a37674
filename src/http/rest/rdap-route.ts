import { parseDomainName, parseSuffix } from '../../domain/domain-name.ts';
import { objectTypes, type ObjectType } from '../../domain/object-ref.ts';
import { detectObjectType, parseObjectRef } from '../../domain/parse-object-ref.ts';
import { Problem } from '../../domain/problems.ts';
import { requestsSnakeCase } from './key-naming.ts';
import { objectOperations } from './object-operations.ts';
import { rdapOperation } from './saved-operations.ts';
import {
  missingParameter,
  readParameter,
  readMaxAgeParameter,
  readParameters,
  type QueryParameters,
} from '../messages/parameters.ts';
import { collectProblems } from '../messages/collect-problems.ts';
import { failureOf, type ProblemFields } from '../messages/lookup-problem.ts';
import type { ParsedRestRequest, RestRoute } from './rest-route.ts';
import { rowBody, type RestRow } from './rows.ts';

interface RecordFields {
  readonly nameservers: readonly string[];
  readonly raw: unknown;
}

/** The row of the saved operation. */
export interface RecordRow extends RestRow {
  readonly problem: ProblemFields | null;
  readonly rdap: RecordFields | null;
}

/**
 * `GET /v1/rdap`: one name with its registration, or another object. Without a verdict, the response
 * is a problem; with a verdict but no record (`no_rdap`), it has the member `problem`.
 */
export const rdapRoute: RestRoute = {
  path: '/v1/rdap',
  method: 'GET',
  operation: rdapOperation,
  responseMode: 'buffered',
  parse({ query, request }) {
    const parameters = readParameters(query);
    const { lookup, maxAge, hasSnakeCaseKeys } = collectProblems({
      lookup: () => readLookup(parameters),
      maxAge: () => readMaxAgeParameter(parameters.single('max_age')),
      hasSnakeCaseKeys: () => requestsSnakeCase(query, request.headers),
    });
    const { variables, ...rest } = lookup;
    return { ...rest, variables: { ...variables, maxAge }, hasSnakeCaseKeys };
  },
};

type Lookup = Pick<ParsedRestRequest, 'operation' | 'namesParam' | 'paramNames' | 'body'> & {
  readonly variables: Readonly<Record<string, unknown>>;
};

function readLookup(parameters: QueryParameters): Lookup {
  const { param, rawInput } = readInput(parameters);
  const type = readType(parameters.single('type'), param);
  const detected = type ?? detectObjectType(rawInput);
  const names = { namesParam: param, paramNames: { name: param } };
  if (detected === 'domain') {
    const domain = readParameter(param, () => parseDomainName(rawInput));
    return { ...names, variables: { domain }, body: createBody(rawInput) };
  }
  readParameter(param, () => parseObjectRef(detected, rawInput));
  const tld = detected === 'entity' ? readTld(parameters.single('tld')) : undefined;
  return {
    ...names,
    operation: objectOperations[detected],
    variables: { id: rawInput, ...(tld !== undefined && { tld }) },
    body: objectBody(detected, rawInput),
  };
}

interface Input {
  readonly param: 'domain' | 'query';
  readonly rawInput: string;
}

/** Returns the input and the parameter that contains it. */
function readInput({ single }: QueryParameters): Input {
  const values = { domain: single('domain'), query: single('query') };
  if (values.domain !== undefined && values.query !== undefined) {
    throw new Problem('invalid_parameter', 'Pass either `domain` or `query`, not both.', {
      param: 'query',
    });
  }
  const param = values.query === undefined ? 'domain' : 'query';
  const rawInput = values[param];
  if (rawInput === undefined) throw missingParameter('domain');
  return { param, rawInput };
}

/** Returns the requested type; undefined if it must be detected. */
function readType(
  text: string | undefined,
  inputParam: Input['param'],
): ObjectType | 'domain' | undefined {
  const type = text?.trim().toLowerCase();
  if (type === 'domain') return type;
  if (type === undefined) return inputParam === 'domain' ? 'domain' : undefined;
  const known = objectTypes.find((each) => each === type);
  if (known && inputParam === 'query') return known;
  const detail = known
    ? `With \`domain\`, type must be domain. Pass the ${known} as \`query\`.`
    : `type must be one of domain, ${objectTypes.join(', ')}.`;
  throw new Problem('invalid_parameter', detail, { param: 'type' });
}

function readTld(text: string | undefined): string | undefined {
  return text === undefined ? undefined : readParameter('tld', () => parseSuffix(text));
}

function createBody(input: string): ParsedRestRequest['body'] {
  return (data) => {
    const row = (data as { domain: RecordRow }).domain;
    if (row.problem && row.available === null)
      throw failureOf(row.problem, row.domain, row.rdap_endpoint);
    return { body: recordBody(input, row) };
  };
}

/** Returns the body for a row, also of one without a verdict. */
export function recordBody(input: string, { problem, rdap, ...row }: RecordRow) {
  const { nameservers, raw, ...registration } = rdap ?? { nameservers: [], raw: null };
  return {
    input,
    ...rowBody(row),
    nameservers,
    registration: rdap && registration,
    rdap: raw,
    ...(problem && { problem: { code: problem.code, detail: problem.detail } }),
  };
}

interface ObjectResult {
  readonly found: boolean | null;
  readonly problem: ProblemFields | null;
  readonly rdap_endpoint: string | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checked_at: string | null;
  readonly latency_ms: number;
  readonly raw: unknown;
}

/** Returns the function that builds the body of an object. Without an answer, it throws a problem. */
function objectBody(type: ObjectType, input: string): ParsedRestRequest['body'] {
  return (data) => {
    const { object } = data as { object: ObjectResult };
    const { found, problem, raw, latency_ms, ...rest } = object;
    const { rdap_endpoint, cached, stale, checked_at, ...members } = rest;
    if (found === null) throw failureOf(problem, input, rdap_endpoint);
    return {
      body: {
        input,
        type,
        found,
        source: 'rdap',
        rdap_endpoint,
        cached,
        stale,
        checked_at,
        latency_ms: Math.round(latency_ms),
        object: found ? members : null,
        rdap: raw,
      },
    };
  };
}
