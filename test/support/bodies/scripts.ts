import { replyOf, type Reply, type Script } from './replies.ts';

/** Returns a script that uses the scripts one after the other; the last one is repeated. */
export function sequence(scripts: readonly [Script, ...Script[]]): Script {
  let next = 0;
  return (request) => {
    const script = scripts[Math.min(next++, scripts.length - 1)] ?? scripts[0];
    return replyOf(script, request);
  };
}

/** Returns a reply that is delayed by the server's clock. */
export function delayed(ms: number, script: Script): Reply {
  return {
    async send(response, request, clock) {
      await new Promise<void>((resolve) => clock.after(ms, resolve));
      await (await replyOf(script, request)).send(response, request, clock);
    },
  };
}

/** A reply that a test releases. */
export interface PausedReply extends Reply {
  /** Number of requests that wait for `release`. */
  readonly waiting: number;
  /** Answers all waiting requests, and later ones immediately. */
  release(): void;
}

/** Returns a reply that waits until the test releases it, without sleeping. */
export function paused(script: Script): PausedReply {
  const released = Promise.withResolvers<void>();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    release: () => released.resolve(),
    async send(response, request, clock) {
      waiting += 1;
      await released.promise;
      waiting -= 1;
      await (await replyOf(script, request)).send(response, request, clock);
    },
  };
}
