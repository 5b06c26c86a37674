import { workMs } from '../../../accounts/work-limit.ts';
import type { AuthenticatedRequest } from '../../../server/http-request-context.ts';
import { readJsonBody } from '../../../server/messages/body.ts';
import {
  deprecationHeaders,
  findUsedAliases,
  type UsedAlias,
} from '../../../server/messages/deprecations.ts';
import { preferredMediaType } from '../../../server/messages/media-types.ts';
import { bulkRequestSchema, readBulk, readInputs, type BulkInput } from '../bulk-request.ts';
import { lineFormats, resultOf, type BulkRow } from '../bulk-results.ts';
import { endpoint, type ParsedRestRequest, type RestOptions } from '../endpoint.ts';
import { keyUseOf, readIdempotencyKey } from '../idempotency-key.ts';
import { readRequest } from '../key-naming.ts';
import { parametersNamed, readFlag } from '../parameters.ts';
import {
  csvAlternative,
  fullStatusOperation,
  fullStatusStreamOperation,
  maxAgeAliases,
  rowBody,
  statusRowSchema,
  rowsBody,
  statusOperation,
  statusStreamOperation,
  tallyOf,
  type RestRow,
} from '../rows.ts';
import * as shape from '../shape.ts';

const lineSchema = {
  description:
    'One line of a streamed response: a result, in completion order, or, as the last line, the totals.',
  anyOf: [shape.schemaRef('BulkRow'), shape.objectOf({ meta: shape.schemaRef('Tally') })],
};

/**
 * `POST /v1/status/bulk`: one result per input, in input order, or streamed as NDJSON or CSV. Equal
 * names are looked up once.
 */
export const bulk = endpoint('POST /v1/status/bulk', {
  tag: 'Names',
  summary: 'Check the availability of many names',
  description:
    'Returns one result per input, in input order; equal names are looked up once. With `Accept: application/x-ndjson`, results are streamed one per line as soon as they are known, followed by a line of totals; with `Accept: text/csv`, as the lines of a CSV file with a header and without totals. A call may contain at most 500 distinct names; the operator may set another limit (`MAX_LOOKUPS`).',
  example: '{"domains":["taken.test","free.test","not a name"]}',
  success: 'The result of each lookup.',
  parameters: parametersNamed('Idempotency-Key', 'evidence'),
  aliases: maxAgeAliases,
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
    'insufficient_credits',
  ],
  operation: statusOperation,
  requestSchema: ({ types, aliases }) =>
    shape.named(types, 'BulkRequest', bulkRequestSchema(aliases)),
  schema: ({ types, propertiesOf }) => {
    types['BulkRow'] = statusRowSchema({
      index: shape.count('Position of the input, starting at 0.'),
      input: shape.text('The input as sent; with `names` and `tlds`, the pair joined by a dot.'),
      ...propertiesOf(fullStatusOperation),
    });
    return shape.schemaRef('Bulk');
  },
  streams: { 'application/x-ndjson': lineSchema },
  alternatives: { 'text/csv': csvAlternative },
  parse: parseRequest,
});

async function parseRequest(
  http: AuthenticatedRequest,
  options: RestOptions,
): Promise<ParsedRestRequest> {
  const { maxInputs, slices, openIdempotencyRecord } = options;
  const requestBody = await readJsonBody(http.request);
  const usedAliases = reportAliases(requestBody, http, options);
  const { unparsed, key, withEvidence, hasSnakeCaseKeys } = readRequest(http, (parameters) => ({
    unparsed: () => readBulk(requestBody, maxInputs, usedAliases),
    key: () => readIdempotencyKey(http.request.headers),
    withEvidence: () => readFlag('evidence', parameters, false),
  }));
  http.work.spend(workMs.names(unparsed.inputs.length));

  const parsed = await readInputs(unparsed, slices);
  const { inputs, namesParam, maxAge, confirm, budgetMs, evidence = withEvidence } = parsed;
  const hasBudget = budgetMs !== undefined;
  const mediaType = preferredMediaType(['application/json', ...Object.keys(lineFormats)], http);
  const format = lineFormats[mediaType];

  return {
    names: { namesParam },
    operation: evidence ? fullStatusOperation : statusOperation,
    variables: { domains: inputs.map(({ entry }) => entry), maxAge, confirm, budgetMs },
    hasSnakeCaseKeys,
    render(data, durationMs) {
      const answer = { rows: resultsOf(data, inputs), durationMs, hasBudget };
      const results = answer.rows.map(rowBody);

      return { body: { results, ...rowsBody(answer), meta: tallyOf(answer) } };
    },
    openIdempotencyRecord:
      key === undefined
        ? undefined
        : () => openIdempotencyRecord(keyUseOf(key, parsed, http.account)),
    stream: format && {
      operation: evidence ? fullStatusStreamOperation : statusStreamOperation,
      format,
      inputs,
      budgetMs,
      meta: (rows, durationMs, credits) => tallyOf({ rows, durationMs, hasBudget }, credits),
    },
  };
}

/**
 * Counts the deprecated aliases in the query and the body, adds the response headers for them, and
 * returns them.
 */
function reportAliases(
  requestBody: unknown,
  http: AuthenticatedRequest,
  { docsUrl, countAliases }: RestOptions,
): readonly UsedAlias[] {
  const usedAliases = findUsedAliases(bulk.aliases, http.query, requestBody);
  if (usedAliases.length > 0) Object.assign(http.responseHeaders, deprecationHeaders(docsUrl()));
  countAliases(usedAliases, http.account);

  return usedAliases;
}

/** Returns a result for each input, in input order. */
function resultsOf(data: unknown, inputs: readonly BulkInput[]): readonly BulkRow[] {
  const byDomain = new Map(
    (data as { domains: readonly RestRow[] }).domains.map((row) => [row.domain, row]),
  );
  return inputs.flatMap((input, index) => {
    const row = byDomain.get(input.entry);
    return row ? [resultOf(row, input, index)] : [];
  });
}
