import { tldSets } from '../src/domain/tld-sets.ts';
import { builder, maxAgeDescription, searchArgs, tldSetNames } from './builder.ts';
import { AccountType } from './account.ts';
import { tldPage } from '../src/domain/tld-page.ts';
import { nodeWithId } from './node.ts';
import { TldConnectionType, TldType } from './tld.ts';
import { DomainType } from './domain.ts';

const tldSetList = Object.entries(tldSets)
  .map(([name, { reason }]) => `- \`@${name}\`: ${reason}`)
  .join('\n');

builder.queryType({ description: 'Questions that are answered once.' });

builder.queryFields((t) => ({
  domain: t.field({
    type: DomainType,
    nullable: true,
    description: 'One name. Without `tld`, `name` is the whole name.',
    args: {
      name: t.arg.string({
        required: true,
        description: 'A label, or with no `tld` a whole name; U-labels and any case will do.',
      }),
      tld: t.arg.string({ description: 'A TLD or longer suffix, such as `com` or `co.uk`.' }),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, _args, { lookup }, { path }) => lookup.row(String(path.key)),
  }),
  account: t.field({
    type: AccountType,
    nullable: true,
    description: 'The account of the key that is used; null without one.',
    resolve: (_root, _args, { account }) => account(),
  }),
}));

builder.queryField('domains', (t) =>
  t.field({
    type: [DomainType],
    nullable: true,
    description:
      'One label under many TLDs (`name`, `tlds`), or whole names (`domains`): a row each, in the order asked, equal ones folded.',
    args: {
      ...searchArgs(),
      budgetMs: t.arg.int({
        description:
          'Milliseconds that the answer may take: rows that are not known by then are PENDING, and go on being looked up.',
      }),
    },
    resolve: (_root, _args, { lookup }, { path }) => [...lookup.rows(String(path.key))],
  }),
);

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description:
      'The object that has this id: a `Domain` as in `domain`, a `Registration`, or a `Tld`. Null for an id that no object has, also if only ' +
      'its case differs from that of an id.',
    args: {
      id: t.arg.globalID({ required: true, description: 'An id, exactly as it was returned.' }),
    },
    resolve: (_root, { id }, context) => nodeWithId(id, context),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description: 'The objects that have these ids, in their order, as `node` gives them.',
    args: {
      ids: t.arg.globalIDList({
        required: true,
        description: 'Ids, exactly as they were returned.',
      }),
    },
    resolve: (_root, { ids }, context) => ids.map((id) => nodeWithId(id, context)),
  }),
}));

builder.queryField('tlds', (t) =>
  t.connection(
    {
      type: TldType,
      nullable: true,
      description: `The TLDs that this gateway knows, in alphabetical order, or those of a set in its order. Asking costs nothing. The sets:\n\n${tldSetList}`,
      args: {
        search: t.arg.string({ description: 'A part of the label.' }),
        set: t.arg.string({
          description: `A set: ${tldSetNames.join(', ')}. A search takes the same among its \`tlds\`.`,
        }),
      },
      resolve: (_root, filter, { catalogue }) => tldPage(catalogue, filter),
    },
    TldConnectionType,
  ),
);
