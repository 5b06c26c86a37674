import type { SandboxSite } from './site-names.ts';

/** A request to a site of the sandbox. */
export interface SandboxSiteRequest {
  readonly site: SandboxSite;
  readonly isSecure: boolean;
  readonly path: string;
  readonly accept: string;
}

/** What the server sends back. */
export interface SandboxSiteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
