import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A part of the benchmark in a separate process, so that its cost does not affect the others. */
export interface ChildProcess<Ready> extends AsyncDisposable {
  /** The message that it sent when it was ready. */
  readonly ready: Ready;
  readonly pid: number;
  /** Sends a message and returns its response; one at a time. Rejects if the process exits. */
  request<Answer>(message: unknown): Promise<Answer>;
}

/** Runs a file that calls `serveParent`. Rejects if the process exits before it is ready. */
export async function startChildProcess<Ready>(
  file: string,
  ...args: readonly string[]
): Promise<ChildProcess<Ready>> {
  const child = fork(file, args);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} exited with code ${String(code)}.`);
  });
  // Only pending requests report the exit.
  ended.catch(() => undefined);
  const next = () =>
    Promise.race([once(child, 'message').then(([message]: unknown[]) => message), ended]);
  return {
    ready: (await next()) as Ready,
    pid: child.pid ?? 0,
    async request<Answer>(message: unknown) {
      const answer = next();
      child.send(message as object);
      return (await answer) as Answer;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}

/**
 * Reports to `startChildProcess` that this process is ready, then answers each message. Exits with
 * its parent.
 */
export function serveParent<Message>(ready: unknown, answer: (message: Message) => unknown): void {
  process.on(
    'message',
    (message) =>
      void Promise.resolve(answer(message as Message)).then((result) =>
        process.send?.(result ?? null),
      ),
  );
  process.on('disconnect', () => process.exit());
  process.send?.(ready);
}
