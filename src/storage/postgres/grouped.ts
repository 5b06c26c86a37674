import { setImmediate as nextTurn } from 'node:timers/promises';

/** Does at once all that is asked in one turn of the event loop; `run` gives an answer to each, in the order asked. */
export function grouped<Question, Answer>(
  run: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let questions: Question[] = [];
  let answers: Promise<readonly Answer[]> | undefined;

  async function runNextTurn(): Promise<readonly Answer[]> {
    await nextTurn();
    const asked = questions;
    questions = [];
    answers = undefined;
    return run(asked);
  }

  return async (question) => {
    const place = questions.push(question) - 1;
    const answer = (await (answers ??= runNextTurn()))[place];
    if (answer === undefined) throw new Error('a question was left without an answer');
    return answer;
  };
}
