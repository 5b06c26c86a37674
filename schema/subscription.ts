import { builder, searchArgs } from './builder.ts';
import { DomainType } from './domain.ts';

builder.subscriptionType({
  description: 'Subscriptions, over server-sent events or the multipart protocol of Apollo Client.',
  fields: (t) => ({
    availability: t.field({
      type: DomainType,
      description:
        'The rows of `Query.domains`, each sent as soon as it is resolved. Completes after the last row.',
      args: searchArgs(),
      subscribe: (_root, args, { lookup }) => lookup.searchInCompletionOrder(args),
      resolve: (row) => row,
    }),
  }),
});
