import { jsonReply, type Handler } from './call.ts';

/** Whether the process is alive: nothing more is asked. */
export const health: Handler = () => jsonReply(200, { status: 'ok' }, { 'cache-control': 'no-store' });

/** Whether it can serve, yes or no; the reason goes to the log. */
export function readiness(isReady: () => Promise<boolean>): Handler {
  return async () => {
    const ready = await isReady();
    return jsonReply(ready ? 200 : 503, { status: ready ? 'ready' : 'not ready' }, { 'cache-control': 'no-store' });
  };
}
