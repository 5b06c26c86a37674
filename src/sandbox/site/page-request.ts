import type { SandboxSite } from './site-names.ts';

/** A request to a site. */
export interface PageRequest {
  readonly site: SandboxSite;
  readonly isSecure: boolean;
  readonly path: string;
  readonly accept: string;
}

export interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
