import { accountsSchema } from './accounts-schema.ts';
import { answersSchema, expiryColumn } from './answers-schema.ts';
import { fleetSchema } from './fleet-schema.ts';
import { idempotencySchema } from './idempotency-schema.ts';
import { ledgerFunctions } from './ledger-functions.ts';
import { ledgerSchema } from './ledger-schema.ts';
import { nodesSchema } from './nodes-schema.ts';

/** SQL scripts that lead from an empty database to the tables as they are now; of them only ever the next is added, never one changed. */
export const migrations: readonly string[] = [
  [nodesSchema, accountsSchema, ledgerSchema, ledgerFunctions, idempotencySchema, answersSchema, fleetSchema].join('\n'),
  expiryColumn,
];
