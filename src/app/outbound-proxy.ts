import type { Config } from '../config.ts';
import type { OutboundProxy } from '../outbound/proxy.ts';
import type { SourceSettings } from '../registries/directory/sources-file.ts';

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
