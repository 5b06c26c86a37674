import type { SiteField } from '../site-field.ts';
import {
  type DisposableMail,
  type DisposableMailList,
  pageOfDisposableMail,
} from './disposable-mail.ts';
import { disposableMailPageSizes, pageRequestOf, pageSizeOf, type Page } from '../pages.ts';
import { builder, objectType } from '../../schema/builder.ts';
import { sitesOf } from '../site-result.ts';

export const DisposableMailType = objectType<DisposableMail>('DisposableMail', (t) => ({
  listed: t.exposeBoolean('isListed'),
  matchedDomain: t.exposeString('matchedDomain', { nullable: true }),
}));

interface DomainPage {
  readonly list: DisposableMailList;
  readonly page: Page<string>;
}

interface DomainEdge {
  readonly cursor: string;
  readonly node: string;
}

const DomainEdgeType = objectType<DomainEdge>('DisposableMailDomainEdge', (t) => ({
  cursor: t.exposeString('cursor'),
  node: t.exposeString('node'),
}));

const DomainConnectionType = objectType<DomainPage>('DisposableMailDomainConnection', (t) => ({
  edges: t.field({
    type: [DomainEdgeType],
    resolve: ({ page }) => page.items.map((node) => ({ cursor: cursorOf(node), node })),
  }),
  nodes: t.stringList({ resolve: ({ page }) => [...page.items] }),
  pageInfo: t.field({
    type: builder.pageInfoRef(),
    resolve: ({ page: { items, nextCursor } }) => ({
      hasNextPage: nextCursor !== null,
      hasPreviousPage: false,
      startCursor: items[0] === undefined ? null : cursorOf(items[0]),
      endCursor: items.length === 0 ? null : cursorOf(items.at(-1) as string),
    }),
  }),
  totalCount: t.int({ resolve: ({ list }) => list.domains.length }),
  updatedAt: t.field({
    type: 'DateTime',
    nullable: true,
    resolve: ({ list }) => list.updatedAt,
  }),
  source: t.string({ resolve: ({ list }) => list.source }),
  status: t.string({ resolve: ({ list }) => list.status }),
}));

/** Returns the cursor that `pageOfDisposableMail` reads. */
function cursorOf(domain: string): string {
  return Buffer.from(domain).toString('base64url');
}

builder.queryField('disposableMailDomains', (t) =>
  t.field({
    type: DomainConnectionType,
    nullable: true,
    args: {
      first: t.arg.int({
        description: `Number of domains, from 1 to ${disposableMailPageSizes.max}. The default is ${disposableMailPageSizes.default}.`,
      }),
      after: t.arg.string(),
    },
    resolve: (_root, { first, after }, context) => {
      const list = sitesOf(context).disposableMail;
      const limit = pageSizeOf(first, disposableMailPageSizes, 'first');
      return { list, page: pageOfDisposableMail(list.domains, pageRequestOf(limit, after)) };
    },
  }),
);

export const disposableMailField: SiteField = (t) =>
  t.field({
    type: DisposableMailType,
    nullable: true,
    resolve: ({ domain, refusal }, _args, context) =>
      refusal ? null : sitesOf(context).disposableMail.find(domain),
  });
