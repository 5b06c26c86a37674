import cluster, { type Worker } from 'node:cluster';
import { ConfigError } from '../config.ts';
import type { Snapshot } from '../metrics/snapshot.ts';
import type { Listening, PrimaryMessage, WorkerMessage } from './messages.ts';

/** One worker, from its start to its end. */
export interface Life {
  readonly pid: number | undefined;
  readonly serves: boolean;
  /** The last that were heard of. */
  readonly figures: Snapshot | undefined;
  /** Asks for its figures; resolves when they are there, after a second at most. */
  askForFigures(): Promise<void>;
  tell(message: PrimaryMessage): void;
  /** Stops it in order. Rejects when it would not, or could not in time. */
  stop(): Promise<void>;
  kill(): void;
}

export interface LifeEvents {
  onServing(where: Listening): void;
  /** Once, when it is known that it ends by itself, which may be before its last answers are sent. With `ConfigError` where it refused to start. */
  onLeaving(why: Error): void;
  onEnd(): void;
  onWantingFigures(): void;
}

/** By itself a worker stops a little earlier; the primary must end within ten seconds, too. */
const longestStopMs = 9800;
const longestFiguresMs = 1000;

/** Starts a process of this same program. */
export function beginLife({ onServing, onLeaving, onEnd, onWantingFigures }: LifeEvents): Life {
  const worker = cluster.fork();
  const ended = endOf(worker);
  let phase: 'starts' | 'serves' | 'leaves' = 'starts';
  let figures: Snapshot | undefined;
  let waiting: (() => void)[] = [];

  function serve(where: Listening): void {
    phase = 'serves';
    onServing(where);
  }
  function leave(why: Error): void {
    if (phase !== 'leaves') onLeaving(why);
    phase = 'leaves';
  }
  function hear(told: Snapshot): void {
    figures = told;
    for (const resolve of waiting) resolve();
    waiting = [];
  }
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'serves') serve(message);
    else if (message.kind === 'refuses') leave(new ConfigError(message.reason));
    else if (message.kind === 'ends') leave(new Error('a failure that nobody expected'));
    else if (message.kind === 'figures') hear(message.own);
    else onWantingFigures();
  });
  void ended.then((how) => {
    leave(new Error(`it ended with ${how}`));
    onEnd();
  });
  return {
    pid: worker.process.pid,
    get serves() {
      return phase === 'serves';
    },
    get figures() {
      return figures;
    },
    tell: (message) => void worker.send(message),
    askForFigures: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        setTimeout(resolve, longestFiguresMs);
        worker.send({ kind: 'wants figures' } satisfies PrimaryMessage);
      }),
    async stop() {
      const leavesAlready = phase === 'leaves';
      phase = 'leaves';
      await stopInOrder(worker, ended, leavesAlready);
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/** With what it ends, or why it did not even start. */
function endOf(worker: Worker): Promise<string | number | null> {
  return new Promise((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? code));
    // Of one that runs it says that a message came too late for it.
    worker.on('error', (error) => worker.process.pid === undefined && resolve(error.message));
  });
}

async function stopInOrder({ process: child }: Worker, ended: Promise<unknown>, leavesAlready: boolean): Promise<void> {
  // To one that leaves already a signal would mean: at once.
  if (!leavesAlready) child.kill('SIGTERM');
  const cut = setTimeout(() => child.kill('SIGKILL'), longestStopMs);
  const how = await ended;
  clearTimeout(cut);
  // SIGTERM ends at once what had not even started.
  const inOrder = leavesAlready ? [0, 1] : [0, 'SIGTERM'];
  if (!inOrder.some((each) => each === how)) throw new Error(`worker ${child.pid} ended with ${how}`);
}
