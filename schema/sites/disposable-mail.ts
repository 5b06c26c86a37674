import {
  type DisposableMail,
  type DisposableMailList,
  pageOfDisposableMail,
} from '../../src/sites/mail/disposable-mail.ts';
import {
  disposableMailPageSizes,
  pageRequestOf,
  pageSizeOf,
  type Page,
} from '../../src/sites/pages.ts';
import { builder } from '../builder.ts';
import { counted } from '../objects/object-row.ts';

export const DisposableMailType = builder.objectRef<DisposableMail>('DisposableMail').implement({
  description:
    'Whether a name is on a list of disposable mail domains. New ones appear daily, so a name that is not listed may be one.',
  fields: (t) => ({
    listed: t.exposeBoolean('isListed', { description: 'Whether it is listed.' }),
    matchedDomain: t.exposeString('matchedDomain', {
      nullable: true,
      description: 'The entry of the list: the name itself or a parent of it; null without one.',
    }),
  }),
});

interface DomainPage {
  readonly list: DisposableMailList;
  readonly page: Page<string>;
}

interface DomainEdge {
  readonly cursor: string;
  readonly node: string;
}

const DomainEdgeType = builder.objectRef<DomainEdge>('DisposableMailDomainEdge').implement({
  description: 'An edge in a DisposableMailDomainConnection: a domain and its cursor.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Cursor for `after`.' }),
    node: t.exposeString('node', { description: 'The domain.' }),
  }),
});

const DomainConnectionType = builder
  .objectRef<DomainPage>('DisposableMailDomainConnection')
  .implement({
    description: 'A page of disposable mail domains (a Relay connection).',
    fields: (t) => ({
      edges: t.field({
        type: [DomainEdgeType],
        description: 'The edges of this page.',
        resolve: ({ page }, _args, context) =>
          counted(page.items, context).map((node) => ({ cursor: cursorOf(node), node })),
      }),
      nodes: t.stringList({
        description: 'The domains of this page, without their cursors.',
        resolve: ({ page }, _args, context) => [...counted(page.items, context)],
      }),
      pageInfo: t.field({
        type: builder.pageInfoRef(),
        description: 'Whether there are more pages, and their cursors.',
        resolve: ({ page: { items, nextCursor } }) => ({
          hasNextPage: nextCursor !== null,
          hasPreviousPage: false,
          startCursor: items[0] === undefined ? null : cursorOf(items[0]),
          endCursor: items.length === 0 ? null : cursorOf(items.at(-1) as string),
        }),
      }),
      totalCount: t.int({
        description: 'The number of domains on the list.',
        resolve: ({ list }) => list.domains.length,
      }),
      updatedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When the list was last changed; null if unknown.',
        resolve: ({ list }) => list.updatedAt,
      }),
      source: t.string({
        description: 'The name of the list.',
        resolve: ({ list }) => list.source,
      }),
      status: t.string({
        description:
          '`static_fallback`: the list that is installed with the gateway. `file`: a file of the operator.',
        resolve: ({ list }) => list.status,
      }),
    }),
  });

/** Returns the cursor that `pageOfDisposableMail` reads. */
function cursorOf(domain: string): string {
  return Buffer.from(domain).toString('base64url');
}

builder.queryField('disposableMailDomains', (t) =>
  t.field({
    type: DomainConnectionType,
    nullable: true,
    description:
      'A list of domains that offer disposable mailboxes, in alphabetical order. It is not complete, and it is not a ' +
      'blocklist of spam. Selecting it costs no credits.',
    args: {
      first: t.arg.int({
        description: `Number of domains, from 1 to ${disposableMailPageSizes.max}. The default is ${disposableMailPageSizes.default}.`,
      }),
      after: t.arg.string({ description: 'Returns domains after this cursor.' }),
    },
    resolve: (_root, { first, after }, { disposableMail: list }) => {
      const limit = pageSizeOf(first, disposableMailPageSizes, 'first');
      return { list, page: pageOfDisposableMail(list.domains, pageRequestOf(limit, after)) };
    },
  }),
);
