import type { AccountBalance } from '../execution/context.ts';
import { objectType } from './builder.ts';

export const AccountType = objectType<AccountBalance>('Account', (t) => ({
  name: t.exposeString('name'),
  creditsLimit: t.exposeFloat('limit'),
  creditsUsed: t.exposeFloat('used'),
  creditsRemaining: t.exposeFloat('remaining'),
  resetsAt: t.expose('resetsAt', { type: 'DateTime' }),
}));
