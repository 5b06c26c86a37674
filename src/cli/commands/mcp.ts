import packageJson from '../../../package.json' with { type: 'json' };
import { serveEmbeddedMcp } from '../../app/embedded.ts';
import { systemClock } from '../../clock.ts';
import { createLog } from '../../log.ts';
import { openLocally } from '../local-settings.ts';
import type { Surroundings } from '../surroundings.ts';

/** Serves MCP over stdin and stdout until the client closes stdin. Rejects with `CommandError`. */
export async function mcp(surroundings: Surroundings): Promise<0> {
  await openLocally(surroundings, (config) =>
    serveEmbeddedMcp(config, {
      version: packageJson.version,
      input: surroundings.streams.stdin,
      output: surroundings.streams.stdout,
      clock: systemClock,
      log: createLog('silent'),
    }),
  );
  return 0;
}
