import { setImmediate as nextTurn } from 'node:timers/promises';

export interface GroupLimits {
  /** Questions of one group. */
  readonly questions: number;
  /** Groups under way at once; what is asked meanwhile waits for one of them to end. */
  readonly groups: number;
}

/** Does at once what is asked in one turn of the event loop; `run` gives an answer to each, in the order asked. */
export function grouped<Question, Answer>(
  run: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  most: GroupLimits = { questions: Infinity, groups: Infinity },
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = [];
  let underWay = 0;
  let starting = false;

  async function start(): Promise<void> {
    starting = true;
    await nextTurn();
    starting = false;
    while (waiting.length > 0 && underWay < most.groups) void runGroup(waiting.splice(0, most.questions));
  }

  async function runGroup(group: readonly Waiting<Question, Answer>[]): Promise<void> {
    underWay += 1;
    try {
      const answers = await run(group.map(({ question }) => question));
      for (const [index, { resolve, reject }] of group.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('a question was left without an answer'));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    underWay -= 1;
    if (waiting.length > 0 && !starting) void start();
  }

  return (question) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.push({ question, resolve, reject });
    if (!starting && underWay < most.groups) void start();
    return promise;
  };
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
