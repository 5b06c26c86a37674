import { prices } from '../execution/charging/prices.ts';
import type { Context } from '../execution/context.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { detailIn } from '../execution/selected-details.ts';
import { requireNonEmpty } from '../domain/names/parsed-name.ts';
import type { DomainName } from '../domain/names/domain-name.ts';
import type { Json } from '../domain/registration.ts';
import { builder, connectionOf, objectType } from '../schema/builder.ts';
import { DomainStatus, DomainType, PhaseType } from '../schema/domain.ts';
import { EvidenceType } from '../schema/evidence.ts';
import { problemField } from '../schema/problem.ts';
import { pageSizeOf } from '../server/messages/parameters.ts';
import {
  AccountWatches,
  fieldsPerRow,
  pageSizes,
  readFilter,
  readLabel,
} from './account-watches.ts';
import { changeTypes } from './observation.ts';
import { creditsPerMonth } from './watch-rows.ts';
import type { Change, CreatedWebhook, ListPage, Watch, Webhook } from './types.ts';

const ChangeTypeType = builder.enumType('ChangeType', { values: changeTypes });

const WatchType = objectType<Watch>('Watch', (t) => ({
  domain: t.exposeString('domain'),
  label: t.exposeString('label', { nullable: true }),
  startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
  problem: t.field(problemField),
  available: t.boolean({
    nullable: true,
    resolve: ({ facts }) => (facts?.verdict ? facts.verdict === 'AVAILABLE' : null),
  }),
  status: t.field({ type: DomainStatus, nullable: true, resolve: ({ facts }) => facts?.verdict }),
  phase: t.field({ type: PhaseType, nullable: true, resolve: ({ facts }) => facts?.phase }),
  expiresAt: t.field({
    type: 'DateTime',
    nullable: true,
    resolve: ({ facts }) => facts?.expiresAt,
  }),
  since: t.expose('since', { type: 'DateTime', nullable: true }),
  checkedAt: t.expose('checkedAt', { type: 'DateTime', nullable: true }),
  failingSince: t.expose('failingSince', { type: 'DateTime', nullable: true }),
  nextLookAt: t.expose('nextLookAt', { type: 'DateTime', nullable: true }),
}));

const ChangeObjectType = objectType<Change>('Change', (t) => ({
  id: t.exposeID('id'),
  type: t.expose('type', { type: ChangeTypeType }),
  domain: t.field({
    type: DomainType,
    extensions: fieldFacts({ cost: prices.single(1) }),
    resolve: ({ domain, seenAt }, _args, { later }, info) => {
      const isStreamed = info.operation.operation === 'subscription';
      return later.row(domain as DomainName, detailIn(info), isStreamed ? seenAt : undefined);
    },
  }),
  notBefore: t.expose('notBefore', { type: 'DateTime' }),
  seenAt: t.expose('seenAt', { type: 'DateTime' }),
  before: t.field({ type: 'JSON', resolve: ({ before }) => before as Json }),
  after: t.field({ type: 'JSON', resolve: ({ after }) => after as Json }),
  evidence: t.field({
    type: EvidenceType,
    nullable: true,
    resolve: ({ evidence }) => evidence && { response: evidence, attempts: [] },
  }),
}));

const webhookFields = (t: Parameters<Parameters<typeof objectType<Webhook>>[1]>[0]) => ({
  id: t.exposeID('id'),
  url: t.exposeString('url'),
  types: t.field({ type: [ChangeTypeType], resolve: ({ types }) => [...types] }),
  cursor: t.exposeID('cursor'),
  failingSince: t.expose('failingSince', { type: 'DateTime', nullable: true }),
  lastProblem: t.exposeString('lastProblem', { nullable: true }),
  disabled: t.exposeBoolean('isDisabled'),
  createdAt: t.expose('createdAt', { type: 'DateTime' }),
});
const WebhookType = objectType<Webhook>('Webhook', webhookFields);

type WebhookWithSecret = Webhook & { readonly secret: string | null };
const CreatedWebhookType = objectType<WebhookWithSecret>('CreatedWebhook', (t) => ({
  ...webhookFields(t as never),
  secret: t.exposeString('secret', { nullable: true }),
}));

function pageOf<T>(
  { items, hasNext }: ListPage<T>,
  cursorOf: (item: T) => string,
  after: string | null | undefined,
) {
  return connectionOf(items, cursorOf, { hasNextPage: hasNext, hasPreviousPage: after != null });
}

const WatchConnectionType = builder.connectionObject(
  { type: WatchType, name: 'WatchConnection' },
  { name: 'WatchEdge' },
);
const ChangeConnectionType = builder.connectionObject(
  { type: ChangeObjectType, name: 'ChangeConnection' },
  { name: 'ChangeEdge' },
);

/** Returns the watches of the caller, and what a metered caller is charged with. */
export function callerOf({ extensions, nextTurn }: Context) {
  const account = extensions().find((lookups) => lookups instanceof AccountWatches);
  if (!account) throw new Error('this gateway has no watches');
  const { parts, watcher, operation } = account;
  return { ...parts, watcher, operation, nextTurn };
}

const pages = { defaultRows: pageSizes.default, fieldsPerRow };
const changePages = { ...pages, nameField: 'domain' };

const filterArgs = builder.args((t) => ({
  after: t.id(),
  domain: t.string(),
  types: t.field({ type: [ChangeTypeType] }),
}));

builder.queryFields((t) => ({
  watches: t.field({
    type: WatchConnectionType,
    extensions: fieldFacts({ freeList: pages }),
    args: { label: t.arg.string(), first: t.arg.int(), after: t.arg.string() },
    resolve: async (_root, { label, first, after }, context) => {
      const { watches, watcher } = callerOf(context);
      const page = await watches.names.list(watcher, {
        label: label ?? undefined,
        ...(after != null && { after }),
        limit: pageSizeOf(first, pageSizes, 'first'),
      });

      return pageOf(page, ({ domain }) => domain, after);
    },
  }),
  changes: t.field({
    type: ChangeConnectionType,
    extensions: fieldFacts({ freeList: changePages }),
    args: { ...filterArgs, first: t.arg.int() },
    resolve: async (_root, { first, ...args }, context) => {
      const { watches, watcher } = callerOf(context);
      const size = pageSizeOf(first, pageSizes, 'first');
      const page = await watches.changes(watcher, readFilter(args), size);
      return pageOf(page, ({ id }) => id, args.after);
    },
  }),
  webhooks: t.field({
    type: [WebhookType],
    resolve: async (_root, _args, context) => {
      const { watches, watcher } = callerOf(context);
      return [...(await watches.webhooks.list(watcher))];
    },
  }),
}));

builder.mutationType({
  fields: (t) => ({
    watch: t.field({
      type: [WatchType],
      extensions: fieldFacts({ cost: creditsPerMonth }),
      args: { domains: t.arg.stringList({ required: true }), label: t.arg.string() },
      resolve: async (_root, { domains, label }, context) => {
        const { watches, watcher, operation } = callerOf(context);
        const names = requireNonEmpty('domains', domains);
        return [...(await watches.watch(watcher, names, readLabel(label), operation.meter))];
      },
    }),
    unwatch: t.field({
      type: [WatchType],
      args: { domains: t.arg.stringList({ required: true }) },
      resolve: async (_root, { domains }, context) => {
        const { watches, watcher } = callerOf(context);
        return [...(await watches.names.unwatch(watcher, requireNonEmpty('domains', domains)))];
      },
    }),
    createWebhook: t.field({
      type: CreatedWebhookType,
      args: {
        url: t.arg.string({ required: true }),
        types: t.arg({ type: [ChangeTypeType] }),
        after: t.arg.id(),
      },
      resolve: async (_root, { url, types, after }, context): Promise<CreatedWebhook> => {
        const { watches, watcher } = callerOf(context);
        return watches.webhooks.create(watcher, url, types ?? undefined, after ?? undefined);
      },
    }),
    updateWebhook: t.field({
      type: CreatedWebhookType,
      args: {
        id: t.arg.id({ required: true }),
        types: t.arg({ type: [ChangeTypeType] }),
        after: t.arg.id(),
        rotateSecret: t.arg.boolean(),
      },
      resolve: async (_root, { id, ...update }, context) => {
        const { watches, watcher } = callerOf(context);
        const updated = await watches.webhooks.update(watcher, id, update);
        return { ...updated, secret: update.rotateSecret ? updated.secret : null };
      },
    }),
    deleteWebhook: t.id({
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: async (_root, { id }, context) => {
        const { watches, watcher } = callerOf(context);
        await watches.webhooks.delete(watcher, id);
        return id;
      },
    }),
  }),
});

builder.subscriptionFields((t) => ({
  changes: t.field({
    type: ChangeObjectType,
    extensions: fieldFacts({ freeList: changePages }),
    args: filterArgs,
    subscribe: async (_root, args, context) => {
      const { watches, watcher, operation } = callerOf(context);
      const filter = readFilter(args);
      const after = filter.after ?? (await watches.head());
      // An expired cursor is the problem of the request, before the stream begins.
      await watches.changeLog.seqOf(after);
      return watches.follow(watcher, { ...filter, after }, operation.request().signal);
    },
    resolve: (change) => change,
  }),
}));
