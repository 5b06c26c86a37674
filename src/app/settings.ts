import { readFile } from 'node:fs/promises';
import { ConfigError, type Config } from '../config.ts';
import { tldSets, type TldSets } from '../domain/names/tld-sets.ts';
import type { QueueTimeouts } from '../execution/context.ts';
import type { OutboundProxy } from '../outbound/dispatcher.ts';
import { parseSetsFile, type SourceSettings } from '../registries/directory/sources-file.ts';
import { reasonOf } from '../shared/reason-of.ts';

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
 * Reads the file that a variable names: a JSON file, or a text of another kind. Rejects with
 * `ConfigError` if it cannot be read or parsed.
 */
export async function readSetting<T>(
  variable: string,
  path: string | URL | undefined,
  read: (document: unknown) => T,
  defaultValue: T,
  kind: 'JSON file' | 'price list' | 'list of dates' = 'JSON file',
): Promise<T> {
  if (path === undefined) return defaultValue;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return read(kind === 'JSON file' ? JSON.parse(text) : text);
  } catch (error) {
    throw new ConfigError(
      `${variable} must name a valid ${kind}, got ${JSON.stringify(path)}. It cannot be read: ${reasonOf(error)}`,
    );
  }
}

/** What does not pass an HTTP proxy: the names of these in `OUTBOUND_DIRECT`. */
const protocols = ['dns', 'whois', 'das', 'sites'] as const;

/** Returns the outgoing proxy; undefined without one. */
export function outboundProxy({
  OUTBOUND_PROXY: url,
  OUTBOUND_DIRECT: direct,
}: Config): OutboundProxy | undefined {
  const isDirect = (host: string) =>
    direct.some((name) => host === name || host.endsWith(`.${name}`));
  return url && { url, isDirect };
}

/** Returns whether a protocol may be used: without a proxy, or beside it. */
export function isReachable(
  { OUTBOUND_PROXY: url, OUTBOUND_DIRECT: direct }: Config,
  protocol: (typeof protocols)[number],
): boolean {
  return url === undefined || direct.includes(protocol);
}

/** Returns what an operator should know about outgoing connections; undefined if there is nothing. */
export function aboutProxy(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (config.OUTBOUND_PROXY) {
    const missing = protocols.filter((each) => !isReachable(config, each));
    const unused =
      missing.length > 0 ? ` Not used: ${missing.join(', ')} (see OUTBOUND_DIRECT).` : '';
    return `Outgoing requests pass the proxy ${config.OUTBOUND_PROXY.host}.${unused}`;
  }
  return environment['HTTPS_PROXY'] || environment['https_proxy']
    ? 'HTTPS_PROXY is not used. Set OUTBOUND_PROXY to send outgoing requests through a proxy.'
    : undefined;
}

/** Returns settings in which the sources that cannot be reached are disabled. */
export function reachableSources(settings: SourceSettings, config: Config): SourceSettings {
  const disabled = Object.fromEntries(
    protocols.filter((each) => !isReachable(config, each)).map((each) => [each, null]),
  );
  return { ...settings, of: (suffix) => ({ ...settings.of(suffix), ...disabled }) };
}
