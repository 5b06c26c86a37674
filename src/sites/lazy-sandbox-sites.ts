import type { SiteServer } from '../outbound/dispatcher.ts';
import { onceFulfilled } from '../shared/memoize.ts';
import type { SandboxDns } from '../sandbox/dns-server.ts';
import type { SandboxSites } from '../sandbox/sandbox-sites.ts';
import type { Common } from '../app/common.ts';

interface Servers {
  readonly sites: SandboxSites;
  readonly resolver: SandboxDns;
}

/** The sites of the sandbox. They are loaded and started with the first lookup: about 0.3 s. */
export class LazySandboxSites {
  #servers: Servers | undefined;
  readonly #start: () => Promise<Servers>;

  constructor({ clock, disposables }: Common) {
    this.#start = onceFulfilled(async () => {
      const { startSandboxSites } = await import('../sandbox/sandbox-sites.ts');
      const { startSandboxResolver } = await import('../sandbox/resolver.ts');
      const [sites, resolver] = await Promise.all([
        startSandboxSites(clock),
        startSandboxResolver(),
      ]);
      return (this.#servers = { sites, resolver });
    });
    disposables.defer(() => this.#close());
  }

  /** Returns whether a host is in the sandbox, even if it has no site. */
  serves(host: string): boolean {
    return host.endsWith('.test');
  }

  /** Starts the servers if a host is in the sandbox. */
  async startFor(host: string): Promise<void> {
    if (this.serves(host)) await this.#start();
  }

  /** Returns the server of a host; `none` also before the start. */
  serverOf(host: string, port: 80 | 443): SiteServer | 'none' {
    return this.#servers?.sites.serverOf(host, port) ?? 'none';
  }

  /** The address of the resolver. Only after the start. */
  get resolver(): string {
    return `127.0.0.1:${this.#startedServers.resolver.port}`;
  }

  /** The address of the certificate search. Only after the start. */
  get searchUrl(): string {
    return this.#startedServers.sites.certificateSearchUrl;
  }

  get #startedServers(): Servers {
    if (!this.#servers) throw new Error('the sandbox has not been started');
    return this.#servers;
  }

  async #close(): Promise<void> {
    await this.#servers?.sites.close();
    await this.#servers?.resolver.close();
  }
}
