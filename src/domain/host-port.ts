import { normalizeAddress } from './ip-address.ts';

export interface HostPort {
  /** A host name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST`, `HOST:PORT` or `[IPV6]:PORT`. Undefined if the text is invalid. */
export function parseHostPort(text: string, defaultPort: number): HostPort | undefined {
  const [, name = text, portText] = /^([^:]*|\[.*\]):(\d{1,5})$/.exec(text) ?? [];
  const port = portText === undefined ? defaultPort : Number(portText);
  // An address with a zone, such as fe80::1%eth0, is valid on one machine only.
  const address = text.includes('%') ? undefined : normalizeAddress(name);
  const host = address ?? (isHostName(name) ? name.toLowerCase() : undefined);
  return host !== undefined && port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** Parses an IP address with an optional port. Undefined if the text is invalid. */
export function parseAddressPort(text: string, defaultPort: number): HostPort | undefined {
  const parsed = parseHostPort(text, defaultPort);
  return parsed && normalizeAddress(parsed.host) !== undefined ? parsed : undefined;
}

/** Returns whether a text is a host name in A-labels. The URL parser reads `127.1` as an address. */
function isHostName(text: string): boolean {
  const url = `https://${text}`;
  return (
    /^[a-z0-9.-]+$/i.test(text) && URL.canParse(url) && new URL(url).hostname === text.toLowerCase()
  );
}
