import { readFile } from 'node:fs/promises';
import { ConfigError, type Config } from '../config.ts';
import { tldSets, type TldSets } from '../domain/tld-sets.ts';
import type { QueueTimeouts } from '../execution/context.ts';
import { parseSetsFile } from '../registries/directory/sets-file.ts';

/** Reads the sets of TLDs of `SETS_FILE`, with the built-in ones. Rejects with `ConfigError`. */
export async function readSets(path: string | undefined): Promise<TldSets> {
  return { ...tldSets, ...(await readSetting('SETS_FILE', path, parseSetsFile, {})) };
}

/** Inputs of one call per distinct name, which may be written in several ways. */
const maxInputsPerName = 4;

/** Returns the maximum number of inputs of one call. */
export const maxInputs = ({ MAX_LOOKUPS }: Config) => MAX_LOOKUPS * maxInputsPerName;

const streamingQueueTimeoutMs = 60_000;

/** Returns how long lookups may be queued. */
export function queueTimeouts({ QUEUE_TIMEOUT_MS: buffered }: Config): QueueTimeouts {
  return { buffered, streaming: Math.max(buffered, streamingQueueTimeoutMs) };
}

/**
 * Reads the JSON file that a variable names. Rejects with `ConfigError` if it cannot be read or
 * parsed.
 */
export async function readSetting<T>(
  variable: string,
  path: string | URL | undefined,
  read: (document: unknown) => T,
  defaultValue: T,
): Promise<T> {
  if (path === undefined) return defaultValue;
  try {
    return read(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new ConfigError(
      `${variable} must name a valid JSON file, got ${JSON.stringify(path)}. ${String(error)}`,
    );
  }
}
