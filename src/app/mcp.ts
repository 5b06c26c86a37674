import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { serveMcpOverStdio, type StdioOptions } from '../http/mcp/stdio.ts';
import type { Log } from '../log.ts';
import { openEmbedded } from './embedded.ts';
import { maxInputs } from './settings.ts';

interface EmbeddedMcpOptions extends Pick<StdioOptions, 'version' | 'input' | 'output'> {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Serves MCP over two streams with lookups in this process. Resolves when the client has closed
 * `input`. Rejects with `StoreOpenError`, or with `ConfigError` for invalid settings.
 */
export async function serveEmbeddedMcp(
  config: Config,
  { clock, log, ...stdio }: EmbeddedMcpOptions,
): Promise<void> {
  await using embedded = await openEmbedded(config, { clock, log });
  await embedded.settled;
  await serveMcpOverStdio({
    execution: embedded.execution,
    maxLookups: config.MAX_LOOKUPS,
    maxInputs: maxInputs(config),
    onServerFault: ({ cause, message }) => console.error(cause ?? message),
    ...stdio,
  });
}
