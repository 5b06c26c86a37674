import type { SiteRequest } from './site-facts.ts';
import type { Redirect } from './page/page-visit.ts';

/** Reads URLs of sites, which are chosen by callers and by the sites themselves. */
export interface SiteClient {
  /**
   * Sends a GET request and follows redirects, each of which is checked like the first URL: only
   * ports 80 and 443, only public addresses, and no downgrade from `https:`. Waits for a slot of the
   * site first. Rejects with `site_unreachable`, `site_blocked` or `site_timeout`.
   */
  get(url: URL, request: SiteRequest, options?: SiteGetOptions): Promise<SiteResponse>;
}

/** The options of a GET request. All are optional. */
export interface SiteGetOptions {
  /** In addition to `user-agent` and `accept-encoding`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before each request, redirects included; a rejection ends the read. */
  readonly beforeRequest?: (url: URL) => Promise<void>;
  /** Called for each redirect, also if its target cannot be read. */
  readonly onRedirect?: (redirect: Redirect) => void;
  /** For the request and its redirects together; five seconds by default. */
  readonly timeoutMs?: number;
  /** More redirects are `site_unreachable`; five by default. */
  readonly maxRedirects?: number;
}

/** A response, after redirects. */
export interface SiteResponse {
  readonly url: URL;
  readonly status: number;
  /**
   * By lower-case name, except `set-cookie`; repeated lines are joined by `, `, those of
   * `x-robots-tag` by a line feed.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the cookies that this response and the redirects before it set. */
  readonly cookieNames: readonly string[];
  readonly redirects: readonly Redirect[];
  /** Decompressed, at most 512 KiB. */
  readonly body: Uint8Array;
  /** The body continues after the part that was read. */
  readonly isTruncated: boolean;
}
