import { replyOf, type Reply, type Script } from './replies.ts';

/** One after the other, over all requests that reach it; the last one stays. */
export function sequence(scripts: readonly [Script, ...Script[]]): Script {
  let next = 0;
  return (request) => {
    const script = scripts[Math.min(next++, scripts.length - 1)] ?? scripts[0];
    return replyOf(script, request);
  };
}

/** The same reply, so much later by the server's clock. */
export function delayed(ms: number, script: Script): Reply {
  return {
    async send(response, request, clock) {
      await new Promise<void>((resolve) => clock.after(ms, resolve));
      await (await replyOf(script, request)).send(response, request, clock);
    },
  };
}

export interface PausedReply extends Reply {
  /** Requests that wait for `release` now. */
  readonly waiting: number;
  /** Answers all who wait, and from now on everybody at once. */
  release(): void;
}

/** A reply that waits until the test says so: the way to be slow without sleeping. */
export function paused(script: Script): PausedReply {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    release: () => gate.resolve(),
    async send(response, request, clock) {
      waiting += 1;
      await gate.promise;
      waiting -= 1;
      await (await replyOf(script, request)).send(response, request, clock);
    },
  };
}
