import { tldSets } from '../src/domain/tld-sets.ts';
import { builder, maxAge, searchArgs, setNames } from './builder.ts';
import { AccountType } from './account.ts';
import { tldPage } from '../src/domain/tld-page.ts';
import { TldConnectionType } from './tld.ts';
import { DomainType } from './domain.ts';

const sets = Object.entries(tldSets)
  .map(([name, { reason }]) => `- \`@${name}\`: ${reason}`)
  .join('\n');

builder.queryType({
  description: 'Questions that are answered once.',
  fields: (t) => ({
    domain: t.field({
      type: DomainType,
      nullable: true,
      description: 'One name. Without `tld`, `name` is the whole name.',
      args: {
        name: t.arg.string({ required: true, description: 'A label, or with no `tld` a whole name; U-labels and any case will do.' }),
        tld: t.arg.string({ description: 'A TLD or longer suffix, such as `com` or `co.uk`.' }),
        maxAge: t.arg.int({ description: maxAge }),
      },
      resolve: (_root, single, { lookup }) => lookup.one(single),
    }),
    account: t.field({
      type: AccountType,
      nullable: true,
      description: 'The account of the key that is used; null without one.',
      resolve: (_root, _args, { account }) => account(),
    }),
    domains: t.field({
      type: [DomainType],
      nullable: true,
      description:
        'One label under many TLDs (`name`, `tlds`), or whole names (`domains`): a row each, in the order asked, equal ones folded.',
      args: {
        ...searchArgs(),
        budgetMs: t.arg.int({
          description: 'Milliseconds that the answer may take: rows that are not known by then are PENDING, and go on being looked up.',
        }),
      },
      resolve: (_root, search, { lookup }) => [...lookup.many(search)],
    }),
    tlds: t.field({
      type: TldConnectionType,
      nullable: true,
      description: `The TLDs that this gateway knows, in alphabetical order, or those of a set in its order. Asking costs nothing. The sets:\n\n${sets}`,
      args: {
        first: t.arg.int({ description: 'How many, at most 100; 50 when it is left out.' }),
        after: t.arg.string({ description: 'The cursor behind which the page begins.' }),
        search: t.arg.string({ description: 'A part of the label.' }),
        set: t.arg.string({ description: `A set: ${setNames.join(', ')}. A search takes the same among its \`tlds\`.` }),
      },
      resolve: (_root, filter, { catalogue }) => tldPage(catalogue, filter),
    }),
  }),
});
