import cluster from 'node:cluster';
import type { Snapshot } from '../metrics/snapshot.ts';
import type { PrimaryMessage, WorkerMessage } from './messages.ts';

/** The process that started this one, and all that it may be told. */
export interface Primary {
  /** Resolves when it is sent, and also when nobody is there any more to hear it. */
  tell(message: WorkerMessage): Promise<void>;
  /** The figures of all workers, this one's too. */
  allFigures(): Promise<readonly Snapshot[]>;
  /** From now on this one's figures are told to whoever wants them. */
  answerWith(figures: () => Promise<Snapshot>): void;
}

/** Undefined in a process that was not started as a worker. */
export function primaryOfThis(): Primary | undefined {
  if (!cluster.isWorker) return undefined;
  let waiting: ((all: readonly Snapshot[]) => void)[] = [];
  let ownFigures: (() => Promise<Snapshot>) | undefined;

  process.on('message', async (message: PrimaryMessage) => {
    if (message.kind === 'figures') {
      for (const resolve of waiting) resolve(message.all);
      waiting = [];
    } else if (ownFigures) {
      await tell({ kind: 'figures', own: await ownFigures() });
    }
  });

  return {
    tell,
    allFigures: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        void tell({ kind: 'wants figures' });
      }),
    answerWith: (figures) => void (ownFigures = figures),
  };
}

async function tell(message: WorkerMessage): Promise<void> {
  if (!cluster.worker?.isConnected()) return;
  await new Promise<void>((resolve) => cluster.worker?.send(message, () => resolve()));
}
