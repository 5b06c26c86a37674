import type { AccountBalance } from '../src/execution/context.ts';
import { builder } from './builder.ts';

export const AccountType = builder.objectRef<AccountBalance>('Account').implement({
  description: 'The account of the API key, and its credits. Selecting it costs no credits.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name that the operator gave the account.' }),
    creditsLimit: t.exposeFloat('limit', {
      description: 'Credits per calendar month (UTC).',
    }),
    creditsUsed: t.exposeFloat('used', {
      description: 'Credits used this month, including those reserved for requests in progress.',
    }),
    creditsRemaining: t.exposeFloat('remaining', { description: 'Credits left this month.' }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      description: 'Start of the next calendar month (UTC), when the credits are reset.',
    }),
  }),
});
