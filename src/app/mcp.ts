import { baseSchema } from '../../schema/schema.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { serveMcpOverStdio, type StdioOptions } from '../http/mcp/stdio.ts';
import { TimeSlices } from '../execution/time-slices.ts';
import type { Log } from '../log.ts';
import { EmbeddedLookups } from './lookups.ts';
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
  await using lookups = await EmbeddedLookups.open(config, { clock, log });
  await lookups.settled;
  await serveMcpOverStdio({
    schema: baseSchema,
    openContext: lookups.openContext,
    slices: new TimeSlices(),
    maxLookups: config.MAX_LOOKUPS,
    maxInputs: maxInputs(config),
    onServerFault: ({ cause, message }) => console.error(cause ?? message),
    ...stdio,
  });
}
