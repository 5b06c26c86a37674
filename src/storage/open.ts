import { format, parse } from 'node:path';
import type { AccountStore } from '../accounts/store.ts';
import type { AnswerStore } from '../cache/store.ts';
import type { Log } from '../log.ts';
import type { AccountStoreOptions } from './account-store.ts';
import { memoryAccounts } from './memory/accounts.ts';
import { memoryAnswers } from './memory/answers.ts';
import { openSqliteAccounts } from './sqlite/accounts.ts';
import { openSqliteAnswers } from './sqlite/answers.ts';

/** Opens the answers of a `STORE_URL`: `memory:`, or `sqlite:PATH`, where PATH names the ledger. Throws when it cannot. */
export function openAnswers(storeUrl: string, log: Log): AnswerStore {
  if (storeUrl === 'memory:') return memoryAnswers();
  const path = answersBeside(ledgerPath(storeUrl));
  try {
    return openSqliteAnswers(path, log);
  } catch (error) {
    throw new Error(`STORE_URL: the answers cannot be kept in ${path}`, { cause: error });
  }
}

/** Opens the accounts of a `STORE_URL`. Rejects with `LedgerUnusable`, whose message says what to do, when it cannot. */
export async function openAccounts(storeUrl: string, options: AccountStoreOptions): Promise<AccountStore> {
  return storeUrl === 'memory:' ? memoryAccounts(options) : openSqliteAccounts(ledgerPath(storeUrl), options);
}

function ledgerPath(storeUrl: string): string {
  const path = /^sqlite:(.+)$/.exec(storeUrl)?.[1];
  if (path === undefined) throw new Error('STORE_URL must be sqlite:PATH or memory:');
  return path;
}

/** Answers can be asked again and credits cannot, so they never share a file: `data/gateway.db` → `data/gateway-answers.db`. */
function answersBeside(ledger: string): string {
  const { dir, root, name, ext } = parse(ledger);
  return format({ dir, root, name: `${name}-answers`, ext });
}
