import { workMs } from '../../accounts/work-limit.ts';
import { resumableFraming, streamedResponse } from '../../api/graphql/streams.ts';
import { parseShape } from '../../api/rest/bulk-request.ts';
import { requestsSnakeCase } from '../../api/rest/key-naming.ts';
import type { FeatureRoute, Method } from '../../api/routes.ts';
import { requireNonEmpty } from '../../domain/names/parsed-name.ts';
import { invalidParameter, missingParameter, Problem } from '../../domain/problems.ts';
import type { Execution } from '../../execution/execution.ts';
import {
  jsonResponse,
  type AuthenticatedRequest,
  type HttpResponse,
} from '../../server/http-request-context.ts';
import { readJsonBody } from '../../server/messages/body.ts';
import { eventStream, preferredMediaType } from '../../server/messages/media-types.ts';
import type { EtagFactory } from '../../server/messages/etag.ts';
import {
  pageSizeOf,
  readParameters,
  type QueryParameters,
} from '../../server/messages/parameters.ts';
import { respondConditionally, runAction } from '../../server/messages/run-response.ts';
import {
  countRows,
  pageSizes,
  readFilter,
  readLabel,
  readName,
  readTypes,
  watcherOf,
} from '../account-watches.ts';
import type { ChangeType } from '../observation.ts';
import type { ChangeFilter, Watch, Watcher } from '../types.ts';
import { callerOf } from '../watches-schema.ts';
import { atomOf, calendarOf } from './feeds.ts';
import { changeBody, feedBody, watchBody, webhookBody } from '../bodies.ts';
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

/** Returns the body and, unless it is 200, the status, or a response. Without a body, the status is 204. */
type Action = (call: Call) => Promise<readonly [body?: object, status?: number] | HttpResponse>;

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
    async GET({ watches, watcher, http, parameters: { single, whole } }) {
      const [label, after] = [single('label'), single('after')];
      const limit = pageSizeOf(whole('limit'), pageSizes, 'limit');
      const page = await watches.names.list(watcher, { label, ...(after && { after }), limit });
      countRows(http.work, page.items);
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
      await watches.names.unwatch(watcher, [readName(id)]);
      return [];
    },
  },
  '/v1/changes': {
    async GET(call) {
      const { watches, watcher, parameters, http, baseUrl, nextTurn } = call;
      const { single, list: types, whole } = parameters;
      const limit = pageSizeOf(whole('limit'), pageSizes, 'limit');
      const sent = { after: single('after'), domain: single('domain'), types: types('types') };
      const filter = readFilter(sent);
      const mediaType = http.query.has('token') ? atom : preferredMediaType(changeTypes, http);
      if (mediaType === eventStream) return streamOf(call, filter);
      // Feed readers do not turn pages: of many changes, they get the latest.
      const isWhole = mediaType === atom && single('limit') === undefined;
      const size = isWhole ? maxFeedEntries : limit;
      const isLatest = isWhole && filter.after === undefined;
      const { items, hasNext } = await watches.changes(watcher, { ...filter, isLatest }, size);
      countRows(http.work, items);
      if (mediaType === atom) return textOf(await atomOf(items, baseUrl(), nextTurn), atom);
      // Also at the end of the log: the next call goes on there.
      const next = items.at(-1)?.id ?? filter.after ?? null;
      return [{ changes: items.map(changeBody), next, has_more: hasNext }];
    },
  },
  '/v1/calendar.ics': {
    async GET({ watches, timelines, watcher, http, nextTurn, parameters: { single } }) {
      const rows: Watch[] = [];
      for (let page, after = ''; !page || page.hasNext; after = rows.at(-1)?.domain ?? '') {
        const options = { label: single('label'), after, limit: pageSizes.max };
        page = await watches.names.list(watcher, options);
        rows.push(...page.items);
        countRows(http.work, page.items);
      }
      return textOf(await calendarOf(rows, timelines, nextTurn), 'text/calendar');
    },
  },
  '/v1/feeds': {
    async GET({ watches, watcher }) {
      return [{ feeds: (await watches.webhooks.feeds(watcher)).map(feedBody) }];
    },
    async POST({ watches, watcher, baseUrl }) {
      const { id, token } = await watches.webhooks.createFeed(watcher);
      const address = (path: string) => `${baseUrl()}/v1/${path}?token=${token}`;
      return [{ id, atom: address('changes'), calendar: address('calendar.ics') }, 201];
    },
  },
  '/v1/feeds/{id}': {
    async DELETE({ watches, watcher, id }) {
      await watches.webhooks.deleteFeed(watcher, id);
      return [];
    },
  },
  '/v1/webhooks': {
    async GET({ watches, watcher }) {
      return [{ webhooks: (await watches.webhooks.list(watcher)).map(webhookBody) }];
    },
    async POST({ watches, watcher, sent: { url, types, after } }) {
      if (!url) throw missingParameter('url');
      const read = typesOf(types) ?? undefined;
      const created = await watches.webhooks.create(watcher, url, read, after ?? undefined);
      return [{ ...webhookBody(created), secret: created.secret }, 201];
    },
  },
  '/v1/webhooks/{id}': {
    async PATCH({ watches, watcher, id, sent }) {
      if (sent.url) throw invalidParameter('url', 'The URL of a webhook is fixed. Create another.');
      const { after, rotate_secret: rotateSecret } = sent;
      const update = { types: typesOf(sent.types), after, rotateSecret };
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

const atom = 'application/atom+xml';
const maxFeedEntries = 2000;
const changeTypes = ['application/json', eventStream, atom] as const;
/** The paths for programs that cannot send headers. */
const tokenPaths = ['/v1/changes', '/v1/calendar.ics'];

function textOf(body: string, mediaType: string): HttpResponse {
  return { status: 200, headers: { 'content-type': `${mediaType}; charset=utf-8` }, body };
}

/** Streams the changes after the last event, or by default from now on, until the gateway stops. */
async function streamOf(call: Call, filter: ChangeFilter): Promise<HttpResponse> {
  const { watches, watcher, http } = call;
  const { 'last-event-id': lastId } = http.request.headers;
  const after = (lastId && String(lastId)) || filter.after || (await watches.head());
  // An expired cursor is the problem of the request, before the stream begins.
  await watches.changeLog.seqOf(after, lastId ? 'Last-Event-ID' : undefined);
  const changes = watches.follow(watcher, { ...filter, after }, http.signal());
  async function* results() {
    if (http.request.method === 'HEAD') return;
    for await (const change of changes)
      yield { id: change.id, json: JSON.stringify(changeBody(change)) };
  }
  return streamedResponse(results(), eventStream, resumableFraming);
}

/** Returns the account of a feed. Throws `not_found`. */
async function watcherOfFeed({ webhooks }: Call['watches'], token: string): Promise<Watcher> {
  const account = await webhooks.accountOfFeed(token);
  if (account !== undefined) return watcherOf(account);
  throw new Problem('not_found', 'There is no feed with this token. It may be revoked.');
}

/** Returns the routes of watches, changes and webhooks. */
export function watchRoutes(options: WatchRouteOptions): readonly FeatureRoute[] {
  return Object.entries(actions).map(([path, methods]) => ({
    path,
    methods: Object.fromEntries(
      Object.entries(methods).map(([method, action]) => [
        method,
        (http: AuthenticatedRequest) => handle(action, http, options),
      ]),
    ),
    ruleOf: ({ query }) => (tokenPaths.includes(path) && query.has('token') ? 'open' : undefined),
  }));
}

const cached = { 'cache-control': 'private, no-cache' };

/** Runs an action and renders what it returns. */
async function handle(
  action: Action,
  http: AuthenticatedRequest,
  { execution, etagOf, maxInputs }: WatchRouteOptions,
): Promise<HttpResponse> {
  const parameters = readParameters(http.query);
  // All keys are in snake_case anyway.
  requestsSnakeCase(parameters, http.request.headers);
  const sent = await readMembers(http);
  if (http.method === 'GET') http.work.spend(workMs.lists(1, 0));
  const id = decoded(http.segment ?? '');
  return runAction(execution, http, async (context) => {
    const caller = callerOf(context);
    // An empty token is one too: it was sent in place of a key.
    const token = tokenPaths.includes(http.path) ? http.query.get('token') : null;
    const watcher = token === null ? caller.watcher : await watcherOfFeed(caller.watches, token);
    const answer = await action({ ...caller, watcher, http, parameters, sent, id, maxInputs });
    if ('headers' in answer) {
      if (typeof answer.body !== 'string') return { value: answer };
      const etag = etagOf({ text: answer.body }, watcher.id);
      return respondConditionally(
        { ...answer, headers: { ...answer.headers, etag, ...cached } },
        http,
      );
    }
    const [body, status = 200] = answer;
    if (!body) return { value: { status: 204, headers: { 'cache-control': 'no-store' } } };
    if (http.method !== 'GET')
      return { value: jsonResponse(status, body, { 'cache-control': 'no-store' }) };
    const headers = { etag: etagOf(body, http.payer?.id), ...cached };
    return respondConditionally(jsonResponse(status, body, headers), http);
  });
}

/** The paths of POST requests that take no body. */
const bodiless = /\/(?:feeds|test)$/;

/** Reads the members of a body, if there is one that counts. Throws `invalid_body`. */
async function readMembers({ request, method, path }: AuthenticatedRequest): Promise<Members> {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const takesNone = method === 'GET' || method === 'DELETE' || bodiless.test(path);
  // Node.js would keep a body that nobody reads until the response.
  if (takesNone) request.resume();

  const isEmpty = takesNone || (length === '0' && !encoding);
  return parseShape(members, isEmpty ? {} : await readJsonBody(request));
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
