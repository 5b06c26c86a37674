import { workMs } from '../../accounts/work-limit.ts';
import { parseShape } from '../../api/rest/bulk-request.ts';
import { requestsSnakeCase } from '../../api/rest/key-naming.ts';
import type { FeatureRoute, Method } from '../../api/routes.ts';
import { requireNonEmpty } from '../../domain/parsed-name.ts';
import { missingParameter, Problem } from '../../domain/problems.ts';
import type { Execution } from '../../execution/execution.ts';
import { jsonResponse, type AuthenticatedRequest } from '../../server/http-request-context.ts';
import type { HttpResponse } from '../../server/http-request-context.ts';
import { readJsonBody } from '../../server/messages/body.ts';
import type { EtagFactory } from '../../server/messages/etag.ts';
import { readParameters, type QueryParameters } from '../../server/messages/parameters.ts';
import { conditional, valueOf } from '../../server/messages/run-response.ts';
import { isObject } from '../../shared/shapes.ts';
import { pageSize, readFilter, readLabel, readName, readTypes } from '../account-watches.ts';
import type { ChangeType } from '../observation.ts';
import { callerOf } from '../watches-schema.ts';
import { changeBody, watchBody, webhookBody } from './bodies.ts';
import * as v from 'valibot';

export interface WatchRouteOptions {
  readonly execution: Execution;
  readonly etagOf: EtagFactory;
  /** The maximum number of names of a request. */
  readonly maxInputs: number;
}

/** A request at one of the paths. */
interface Call extends ReturnType<typeof callerOf>, Pick<WatchRouteOptions, 'maxInputs'> {
  readonly http: AuthenticatedRequest;
  readonly parameters: QueryParameters;
  readonly sent: Members;
  /** The variable segment of the path. */
  readonly id: string;
}

/** Returns the body and, unless it is 200, the status. Without a body, the status is 204. */
type Action = (call: Call) => Promise<readonly [body?: object, status?: number]>;

const list = v.nullish(v.array(v.string('a string'), 'an array of strings'));
const text = v.nullish(v.string('a string'));
/** The members of all bodies. */
const members = v.object({
  domains: list,
  label: text,
  url: text,
  types: list,
  after: text,
  rotate_secret: v.nullish(v.boolean('true or false')),
});
type Members = v.InferOutput<typeof members>;

/** The actions by path and method. One segment of a path may be variable. */
const actions: Readonly<Record<string, Partial<Record<Method, Action>>>> = {
  '/v1/watches': {
    async GET({ watches, watcher, parameters: { single } }) {
      const [label, after] = [single('label'), single('after')];
      const limit = readLimit(single('limit'));
      const page = await watches.list(watcher, { label, ...(after && { after }), limit });
      const next = page.hasNext ? page.items.at(-1)?.domain : undefined;
      return [{ watches: page.items.map(watchBody), next: next ?? null }];
    },
    async POST({ watches, watcher, operation, http, maxInputs, sent }) {
      const names = requireNonEmpty('domains', sent.domains);
      if (names.length > maxInputs)
        throw new Problem('too_many_lookups', `Send at most ${maxInputs} names.`, {
          param: 'domains',
        });
      http.work.spend(workMs.names(names.length));
      const rows = await watches.watch(watcher, names, readLabel(sent.label), operation.meter);
      return [{ watches: rows.map(watchBody) }];
    },
  },
  '/v1/watches/{domain}': {
    async PUT({ watches, watcher, operation, sent, id }) {
      const label = readLabel(sent.label);
      const [row] = await watches.watch(watcher, [readName(id)], label, operation.meter);
      if (!row?.startedAt) throw row?.problem ?? new Error('A name has no row.');
      return [watchBody(row)];
    },
    async DELETE({ watches, watcher, id }) {
      await watches.unwatch(watcher, [readName(id)]);
      return [];
    },
  },
  '/v1/changes': {
    async GET({ watches, watcher, parameters }) {
      const { single } = parameters;
      const limit = readLimit(single('limit'));
      const filter = filterOf(parameters);
      const { items, hasNext } = await watches.changes(watcher, filter, limit);
      // Also at the end of the log: the next call goes on there.
      const next = items.at(-1)?.id ?? filter.after ?? null;
      return [{ changes: items.map(changeBody), next, has_more: hasNext }];
    },
  },
  '/v1/webhooks': {
    async GET({ watches, watcher }) {
      return [{ webhooks: (await watches.webhooks.list(watcher)).map(webhookBody) }];
    },
    async POST({ watches, watcher, sent: { url, types, after } }) {
      if (!url) throw missingParameter('url');
      const created = await watches.webhooks.create(
        watcher,
        url,
        typesOf(types) ?? undefined,
        after ?? undefined,
      );
      return [{ ...webhookBody(created), secret: created.secret }, 201];
    },
  },
  '/v1/webhooks/{id}': {
    async PATCH({ watches, watcher, id, sent: { types, after, rotate_secret: rotateSecret } }) {
      const update = { types: typesOf(types), after, rotateSecret };
      const updated = await watches.webhooks.update(watcher, id, update);
      return [{ ...webhookBody(updated), ...(rotateSecret && { secret: updated.secret }) }];
    },
    async DELETE({ watches, watcher, id }) {
      await watches.webhooks.delete(watcher, id);
      return [];
    },
  },
  '/v1/webhooks/{id}/test': {
    async POST({ watches, watcher, id }) {
      const { status, problem } = await watches.deliverer.deliverTest(watcher, id);
      return [{ delivered: problem === null, status, problem }];
    },
  },
};

/** Returns a function that finds the routes of watches, changes and webhooks by their paths. */
export function watchRoutes(options: WatchRouteOptions) {
  return (path: string): FeatureRoute | undefined => {
    const [, , first = '', id = '', ...rest] = path.split('/');
    const param = first === 'watches' ? '{domain}' : '{id}';
    const isListed = path === `/v1/${first}`;
    const name = isListed ? path : ['/v1', first, param, ...rest].join('/');
    const methods = path.startsWith('/v1/') && (isListed || id) ? actions[name] : undefined;
    if (!methods) return undefined;
    const handlers = Object.entries(methods).map(([method, action]) => [
      method,
      (http: AuthenticatedRequest) => handle(action, decoded(id), http, options),
    ]);
    return { name, methods: Object.fromEntries(handlers) };
  };
}

/** Runs an action as an operation without lookups, which has its cost and the balance. */
async function handle(
  action: Action,
  id: string,
  http: AuthenticatedRequest,
  { execution, etagOf, maxInputs }: WatchRouteOptions,
): Promise<HttpResponse> {
  const parameters = readParameters(http.query);
  // All keys are in snake_case anyway.
  requestsSnakeCase(parameters, http.request.headers);
  const sent = await readMembers(http);
  const saved = await execution.saved('{ __typename }');
  const result = await execution.run(
    saved.coerce({}),
    http,
    { mode: 'streaming' },
    async (_executed, context) => {
      const call = { ...callerOf(context), http, parameters, sent, id, maxInputs };
      const [body, status = 200] = await action(call);
      if (!body) return { value: { status: 204, headers: { 'cache-control': 'no-store' } } };
      if (http.method !== 'GET')
        return { value: jsonResponse(status, body, { 'cache-control': 'no-store' }) };
      const headers = {
        etag: etagOf(body, http.payer?.id),
        'cache-control': 'private, no-cache',
      };
      return conditional(jsonResponse(status, body, headers), http);
    },
  );
  return valueOf(result, http);
}

/** Reads the members of a body, if there is one. Throws `invalid_body`. */
async function readMembers({ request, method }: AuthenticatedRequest): Promise<Members> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const isEmpty = method === 'GET' || method === 'DELETE' || (length === '0' && !encoding);
  const body = isEmpty ? {} : await readJsonBody(request);
  if (isObject(body)) return parseShape(members, body);
  throw new Problem('invalid_body', 'body must be a JSON object.', { param: 'body' });
}

function filterOf({ single, list: listOf }: QueryParameters) {
  return readFilter({ after: single('after'), domain: single('domain'), types: listOf('types') });
}

/** Throws `invalid_parameter`. */
function readLimit(sent: string | undefined): number {
  return pageSize(
    'limit',
    sent === undefined ? sent : /^\s*\d+\s*$/.test(sent) ? Number(sent) : NaN,
  );
}

/** An empty list is all types. */
function typesOf(types: Members['types']): readonly ChangeType[] | null | undefined {
  return types && (types.length === 0 ? [] : readTypes(types));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
