import type { AccountBalance } from '../src/context.ts';
import { builder } from './builder.ts';

export const AccountType = builder.objectRef<AccountBalance>('Account').implement({
  description: 'Whose key this is, and what it has left. Asking costs nothing.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, as whoever runs the gateway gave it.' }),
    creditsLimit: t.exposeFloat('limit', {
      description: 'Credits a month, a calendar month in UTC.',
    }),
    creditsUsed: t.exposeFloat('used', {
      description: 'Credits used this month, those set aside for running requests included.',
    }),
    creditsRemaining: t.exposeFloat('remaining', { description: 'Credits left this month.' }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      description: 'When the next month begins.',
    }),
  }),
});
