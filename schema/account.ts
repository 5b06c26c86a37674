import type { AccountBalance } from '../src/execution/context.ts';
import { builder } from './builder.ts';

export const AccountType = builder.objectRef<AccountBalance>('Account').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    creditsLimit: t.exposeFloat('limit'),
    creditsUsed: t.exposeFloat('used'),
    creditsRemaining: t.exposeFloat('remaining'),
    resetsAt: t.expose('resetsAt', { type: 'DateTime' }),
  }),
});
