import { openEmbedded } from '../app/embedded.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { CommandError, exitCodes } from './command-error.ts';
import type { RestApi } from './lookups.ts';

const offlineMessage =
  'You are offline: no name server of this machine knows the hosts of registries. Cached answers, and names under .test, need no network.';

/**
 * Opens the REST API of this process. Rejects with `StoreOpenError`, or with `ConfigError` for
 * invalid settings.
 */
export async function openLocalApi(config: Config): Promise<RestApi> {
  const embedded = await openEmbedded(config, { clock: systemClock, log: createLog('silent') });
  const online = embedded.isOffline().then((isOffline) => {
    if (isOffline) throw new CommandError(exitCodes.unknown, offlineMessage);
  });

  // A command may end before it waits.
  online.catch(() => undefined);
  return {
    online,
    name: 'this process',
    maxNames: config.MAX_LOOKUPS,
    fetch: async (path, request) => {
      await embedded.settled;
      return embedded.fetch(path, request);
    },
    [Symbol.asyncDispose]: async () => embedded[Symbol.asyncDispose](),
  };
}
