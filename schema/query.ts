import { builder, maxAge, searchArgs } from './builder.ts';
import { AccountType } from './account.ts';
import { DomainType } from './domain.ts';

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
      args: searchArgs(),
      resolve: (_root, search, { lookup }) => [...lookup.many(search)],
    }),
  }),
});
