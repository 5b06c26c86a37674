import { format, parse } from 'node:path';
import type { AnswerStore } from '../cache/store.ts';
import type { Log } from '../log.ts';
import { memoryAnswers } from './memory/answers.ts';
import { openSqliteAnswers } from './sqlite/answers.ts';

/** Opens the answers of a `STORE_URL`: `memory:`, or `sqlite:PATH`, where PATH names the ledger. Throws when it cannot. */
export function openAnswers(storeUrl: string, log: Log): AnswerStore {
  if (storeUrl === 'memory:') return memoryAnswers();
  const ledger = /^sqlite:(.+)$/.exec(storeUrl)?.[1];
  if (ledger === undefined) throw new Error('STORE_URL must be sqlite:PATH or memory:');
  const path = answersBeside(ledger);
  try {
    return openSqliteAnswers(path, log);
  } catch (error) {
    throw new Error(`STORE_URL: the answers cannot be kept in ${path}`, { cause: error });
  }
}

/** Answers can be asked again and credits cannot, so they never share a file: `data/gateway.db` → `data/gateway-answers.db`. */
function answersBeside(ledger: string): string {
  const { dir, root, name, ext } = parse(ledger);
  return format({ dir, root, name: `${name}-answers`, ext });
}
