import { hash } from 'node:crypto';
import * as v from 'valibot';
import { workMs } from '../accounts/work-limit.ts';
import { parseShape } from '../api/rest/bulk-request.ts';
import { readIdempotencyKey, type OpenIdempotencyRecord } from '../api/rest/idempotency-key.ts';
import { requestsSnakeCase } from '../api/rest/key-naming.ts';
import type { FeatureRoute } from '../api/routes.ts';
import { missingParameter, Problem } from '../domain/problems.ts';
import type { Execution } from '../execution/execution.ts';
import {
  jsonResponse,
  type AuthenticatedHandler,
  type AuthenticatedRequest,
  type HttpResponse,
} from '../server/http-request-context.ts';
import { readJsonBody } from '../server/messages/body.ts';
import { readParameters } from '../server/messages/parameters.ts';
import { runAction } from '../server/messages/run-response.ts';
import { receiptsOf } from './receipt-extension.ts';
import { receiptPage, type Replay } from './receipt-page.ts';
import type { Receipt, Receipts } from './receipts.ts';

export interface ReceiptRouteOptions {
  readonly receipts: Receipts;
  readonly execution: Execution;
  readonly openIdempotencyRecord: OpenIdempotencyRecord;
  readonly graphiql: boolean;
  /** Repeats a recorded lookup. */
  readonly replay: Replay;
}

const members = v.object({ domain: v.nullish(v.string('a string')) });
const secret = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };

/** Returns the routes of receipts and of the keys that sign them. */
export function receiptRoutes(options: ReceiptRouteOptions): readonly FeatureRoute[] {
  const { receipts } = options;
  const page = receiptPage(options.graphiql, options.replay);
  const keys: AuthenticatedHandler = async () =>
    jsonResponse(200, await receipts.keys(), {
      'content-type': 'application/jwk-set+json',
      // A rotation reaches clients within ten seconds.
      'cache-control': 'public, max-age=5',
      'access-control-allow-origin': '*',
    });

  const show: AuthenticatedHandler = async ({ segment = '', work }) => {
    const receipt = await find(receipts, segment);
    work.spend(workMs.receipt);
    return page(receipt);
  };

  const read: AuthenticatedHandler = async (http) => {
    checkNaming(http);
    return jsonResponse(200, await find(receipts, http.segment ?? ''), secret);
  };

  return [
    { path: '/.well-known/jwks.json', methods: { GET: keys }, ruleOf: () => 'open' },
    { path: '/v1/receipts', methods: { POST: (http) => create(http, options) } },
    { path: '/receipts/{id}', methods: { GET: show }, ruleOf: () => 'open' },
    {
      path: '/v1/receipts/{id}',
      methods: { GET: read, DELETE: (http) => remove(http, options) },
      // Whoever knows the id may read the receipt: pages cannot send a key.
      ruleOf: ({ method }) => (method === 'GET' ? 'open' : undefined),
    },
  ];
}

/** Throws `invalid_naming`. All keys are in snake_case anyway. */
function checkNaming({ query, request }: AuthenticatedRequest): void {
  requestsSnakeCase(readParameters(query), request.headers);
}

async function find(receipts: Receipts, id: string): Promise<Receipt> {
  const receipt = await receipts.get(id);
  if (receipt) return receipt;
  throw notFound();
}

function notFound(): Problem {
  return new Problem(
    'not_found',
    'There is no such receipt. It may have expired, or its account has deleted it.',
  );
}

/** Makes a receipt as an operation, which has its cost and the balance. */
async function create(
  http: AuthenticatedRequest,
  { execution, openIdempotencyRecord }: ReceiptRouteOptions,
): Promise<HttpResponse> {
  checkNaming(http);
  const { domain } = parseShape(members, await readJsonBody(http.request));
  if (domain == null) throw missingParameter('domain');

  const key = readIdempotencyKey(http.request.headers);

  const keyUse = key !== undefined && {
    caller: http.account,
    // The receipts of callers without a key have no account, which would tell their keys apart.
    // All releases store the others in this form, so that a client can repeat a request after an upgrade.
    key: hash('sha256', http.payer ? key : JSON.stringify([http.account, key])),
    fingerprint: hash('sha256', JSON.stringify(['receipt', domain])),
  };
  const record = keyUse ? await openIdempotencyRecord(keyUse) : undefined;
  try {
    return await runAction(execution, http, async (context) => {
      const { receipts, operation } = receiptsOf(context);
      const repeatable = keyUse && record ? { ...record, key: keyUse.key } : undefined;
      const earlier =
        repeatable && record?.since !== undefined
          ? await receipts.repeated(operation.payer, repeatable.key, record.since)
          : undefined;
      const receipt = earlier ?? (await receipts.create(domain, operation, { repeatable }));
      const headers = { ...secret, location: `/v1/receipts/${receipt.id}` };

      return { value: jsonResponse(201, receipt, headers) };
    });
  } finally {
    record?.release();
  }
}

async function remove(
  http: AuthenticatedRequest,
  { execution }: ReceiptRouteOptions,
): Promise<HttpResponse> {
  checkNaming(http);
  return runAction(execution, http, async (context) => {
    const { receipts, operation } = receiptsOf(context);
    if (!(await receipts.delete(http.segment ?? '', operation.payer))) throw notFound();
    return { value: { status: 204, headers: secret } };
  });
}
