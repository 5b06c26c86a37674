import { setImmediate as nextTurn } from 'node:timers/promises';

interface GroupLimits {
  /** Questions of one group. */
  readonly questions: number;
  /** Groups in progress; what is asked meanwhile waits until one of them ends. */
  readonly groups: number;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Runs together what is asked in one turn of the event loop. */
export class Groups<Question, Answer> {
  readonly #run: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly #limits: GroupLimits;
  readonly #waiting: Waiting<Question, Answer>[] = [];
  #inProgress = 0;
  #isStarting = false;

  /** `run` returns an answer to each question, in the same order. */
  constructor(
    run: (questions: readonly Question[]) => Promise<readonly Answer[]>,
    limits: GroupLimits,
  ) {
    this.#run = run;
    this.#limits = limits;
  }

  ask(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, resolve, reject });
    void this.#start();
    return promise;
  }

  async #start(): Promise<void> {
    if (this.#isStarting || this.#waiting.length === 0 || this.#inProgress === this.#limits.groups)
      return;
    this.#isStarting = true;
    await nextTurn();
    this.#isStarting = false;
    while (this.#waiting.length > 0 && this.#inProgress < this.#limits.groups) {
      void this.#runGroup(this.#waiting.splice(0, this.#limits.questions));
    }
  }

  async #runGroup(group: readonly Waiting<Question, Answer>[]): Promise<void> {
    this.#inProgress += 1;
    try {
      const answers = await this.#run(group.map(({ question }) => question));
      for (const [index, { resolve, reject }] of group.entries()) {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('a question was not answered'));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#inProgress -= 1;
    void this.#start();
  }
}
