import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { SqlDatabase } from '../../../src/shared/sql-database.ts';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { sharedAccount } from '../../../src/watches/types.ts';
import { Watches } from '../../../src/watches/watches.ts';
import { WebhookSender } from '../../../src/watches/webhooks/webhook-sender.ts';
import { withoutWebhooks } from '../../watches/stores.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** The outcome of repeated kills. */
export interface DeliveryKills {
  /** Changes in the log. */
  readonly changes: number;
  /** Changes that a process has logged, but that are not in the log. */
  readonly unlogged: number;
  readonly undelivered: number;
  /** Deliveries of a change that was delivered before: the answer was lost with the process. */
  readonly repeats: number;
  /** Repeats with another message id, and first deliveries out of order. */
  readonly wrong: number;
}

/**
 * Kills a process that logs and delivers changes at random times, and compares the log with what a
 * receiver has got. `store` is the path or URL that `open` opens.
 */
export async function killDeliveries(
  rounds: number,
  store: string,
  open: () => Promise<SqlDatabase>,
): Promise<DeliveryKills> {
  await using parts = new AsyncDisposableStack();
  const receiver = parts.use(await startWebhookReceiver());
  const withWatches = async <T>(round: number, use: (watches: Watches) => Promise<T>) => {
    const [database, clock] = [await open(), laterClock(round)];
    const options = { allow: ['localhost'], proxy: undefined, userAgent: 'x', clock };
    const sender = new WebhookSender(options);
    const [ledger, directory] = [undefined as never, { resolve: () => ({}) } as never];
    const parentOptions = {
      ...withoutWebhooks,
      database,
      ledger,
      directory,
      clock,
      onDue: nothing,
      sender,
    };
    const watches = new Watches(parentOptions);
    await watches.changeLog.open();
    const result = await use(watches);
    await watches.stop();
    await sender.destroy();
    await database.close();
    return result;
  };
  await withWatches(0, async (watches) => {
    await watches.watch(sharedAccount, ['a.example']);
    await watches.webhooks.create(sharedAccount, `http://127.0.0.1:${receiver.port}/`);
  });
  const logged: string[] = [];
  for (let round = 1; round <= rounds; round += 1) logged.push(...(await runAndKill(store, round)));
  const inLog = await withWatches(rounds + 1, async (watches) => {
    watches.deliverer.start();
    await watches.deliverer.idle();
    const ids: string[] = [];
    for (let isMore = true; isMore;) {
      const page = await watches.changes(sharedAccount, { after: ids.at(-1) }, 1000);
      ids.push(...page.items.map(({ id }) => id));
      isMore = page.hasNext;
    }
    return ids;
  });
  const messages = new Map<string, unknown>();
  const order: string[] = [];
  let wrong = 0;
  for (const { headers, body } of receiver.received) {
    const id: string = body.data.change_id;
    const messageId = headers['webhook-id'];
    if (!messages.has(id)) order.push(id);
    else if (messages.get(id) !== messageId) wrong += 1;
    messages.set(id, messageId);
  }
  wrong += order.filter((id, index) => id !== inLog[index]).length;
  const [known, got] = [new Set(inLog), new Set(order)];
  return {
    changes: inLog.length,
    unlogged: logged.filter((id) => !known.has(id)).length,
    undelivered: inLog.filter((id) => !got.has(id)).length,
    repeats: receiver.received.length - order.length,
    wrong,
  };
}

/** Returns the ids of the changes that a process has logged before it was killed. */
async function runAndKill(store: string, round: number): Promise<readonly string[]> {
  const script = join(import.meta.dirname, 'delivering-process.ts');
  const child = spawn(process.execPath, [script, store, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  child.stdout.once('data', () => void wait(Math.random() * 100).then(() => child.kill('SIGKILL')));
  const output = await text(child.stdout);
  const [code, signal]: unknown[] = await ended;
  if (signal !== 'SIGKILL') throw new Error(`The process exited with code ${String(code)}.`);
  return output.split('\n').slice(0, -1);
}

/** Each round is an hour later than the one before. */
function laterClock(round: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + round * 3_600_000 };
}

function nothing(): void {}
