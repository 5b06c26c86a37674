import type { Call, Outcome } from './accounts-file.ts';

/** Does one thing of many; rejects with what went wrong. */
export type Perform = (call: Call) => Promise<unknown>;

/** Does things together; an outcome each, in order. */
export type Commit = (calls: readonly Call[]) => Promise<readonly Outcome[]>;

export interface GroupCommit {
  readonly perform: Perform;
  /** Resolves when nothing is under way or waiting. */
  idle(): Promise<void>;
}

interface Waiting {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Collects what is asked while a commit is under way, and commits all of it next, at the price of one. */
export function groupCommit(commit: Commit): GroupCommit {
  let waiting: Waiting[] = [];
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      // What is asked in the same turn, or in answer to the last commit, goes with it.
      await new Promise(setImmediate);
      const group = waiting;
      waiting = [];
      await commitGroup(group, commit);
    }
    working = undefined;
  }

  return {
    perform: (call) =>
      new Promise((resolve, reject) => {
        waiting.push({ call, resolve, reject });
        working ??= work();
      }),
    idle: async () => working,
  };
}

/** Never rejects. */
async function commitGroup(group: readonly Waiting[], commit: Commit): Promise<void> {
  try {
    const outcomes = await commit(group.map(({ call }) => call));
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome && 'value' in outcome) resolve(outcome.value);
      else reject(outcome?.failure);
    }
  } catch (failure) {
    for (const { reject } of group) reject(failure);
  }
}
