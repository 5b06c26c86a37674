/** Where a server of a site accepts connections. */
export interface SiteServer {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** The CA certificates that verify the server, in PEM; those of Node.js by default. */
  readonly ca?: string;
}

/**
 * Returns the server of a host at a default port if the operator or the sandbox sets it. `none`: the
 * host has no server at this port. Undefined: the server is found by DNS, and must have a public
 * address.
 */
export type SiteServerOf = (host: string, port: 80 | 443) => SiteServer | 'none' | undefined;
