import cluster from 'node:cluster';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { sharedFigures } from './figures.ts';
import { beginLife, type Life } from './life.ts';
import type { Listening } from './messages.ts';
import { pausesBetweenLives } from './pauses.ts';

/** All at one address. */
export interface Workers extends AsyncDisposable, Listening {}

/**
 * Starts so many processes of this same program, which share one port, and later another for each that ends. Resolves once all serve; rejects
 * when one ends before that, with the `ConfigError` of one that refused to start. Disposing of them stops all in order, and rejects where one
 * did not.
 */
export async function startWorkers(count: number, log: Log): Promise<Workers> {
  // Each takes its connections from the system: one handed out by this process is lost when the worker dies first, and its client waits for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const pauseAfter = pausesBetweenLives(systemClock);
  const figures = sharedFigures();
  const lives = new Set<Life>();
  const allServe = Promise.withResolvers<Listening>();
  let state: 'starting' | 'running' | 'stopping' = 'starting';

  function begin(): void {
    const beganAt = systemClock.elapsed();
    const life = beginLife({
      onServing(where) {
        if (state === 'running') log.info({ worker: life.pid }, 'another worker serves');
        if (Array.from(lives).every(({ serves }) => serves)) allServe.resolve(where);
      },
      onLeaving(why) {
        allServe.reject(why);
        if (state !== 'running') return;
        const pauseMs = pauseAfter(beganAt);
        log.warn({ worker: life.pid, reason: why.message, pauseMs }, 'a worker ends, and another takes its place');
        setTimeout(() => state === 'running' && begin(), pauseMs);
      },
      onEnd() {
        lives.delete(life);
        figures.keep(life);
      },
      onWantingFigures: async () => life.tell({ kind: 'figures', all: await figures.ofAll(lives) }),
    });
    lives.add(life);
  }

  for (let each = 0; each < count; each++) begin();
  try {
    const { url, port } = await allServe.promise;
    state = 'running';
    return {
      url,
      port,
      async [Symbol.asyncDispose]() {
        state = 'stopping';
        await Promise.all(Array.from(lives, (life) => life.stop()));
      },
    };
  } catch (error) {
    for (const life of lives) life.kill();
    throw error;
  }
}
