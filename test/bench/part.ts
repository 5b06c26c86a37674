import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A part of the bench in a process of its own, so that nobody measures what his neighbour costs. */
export interface Part<Ready> extends AsyncDisposable {
  /** What it said when it was ready. */
  readonly ready: Ready;
  /** Its answer to a question; one question at a time. Rejects when the process ends instead. */
  ask<Answer>(question: unknown): Promise<Answer>;
}

/** Runs a file that calls `serveParent`. Rejects when the process ends before it is ready. */
export async function startPart<Ready>(
  file: string,
  ...args: readonly string[]
): Promise<Part<Ready>> {
  const child = fork(file, args);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${String(code)}`);
  });
  // Whoever waits for an answer hears of it; nobody else needs to.
  ended.catch(() => undefined);
  const next = () =>
    Promise.race([once(child, 'message').then(([message]: unknown[]) => message), ended]);
  return {
    ready: (await next()) as Ready,
    async ask<Answer>(question: unknown) {
      const answer = next();
      child.send(question as object);
      return (await answer) as Answer;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}

/** The other side of `startPart`: says that this process is ready, then answers each question. Ends with its parent. */
export function serveParent<Question>(
  ready: unknown,
  answer: (question: Question) => unknown,
): void {
  process.on(
    'message',
    (question) =>
      void Promise.resolve(answer(question as Question)).then((said) =>
        process.send?.(said ?? null),
      ),
  );
  process.on('disconnect', () => process.exit());
  process.send?.(ready);
}
