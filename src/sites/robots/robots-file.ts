/** The robots.txt of a site, by RFC 9309. */
export interface RobotsFile {
  /** The URL that was requested. */
  readonly url: string;
  /** The URL of the response, after redirects. */
  readonly finalUrl: string;
  /** The HTTP status. */
  readonly status: number;
  /**
   * `rules`: the file has rules. `allow_all`: there is no file (4xx), so everything is allowed.
   * `disallow_all`: the server failed (5xx), so nothing is allowed (RFC 9309 section 2.3.1).
   */
  readonly access: 'rules' | 'allow_all' | 'disallow_all';
  readonly groups: readonly RobotsGroup[];
  /** The URLs of `Sitemap` lines. */
  readonly sitemaps: readonly string[];
  /** The file continues after the part that was read, 512 KiB, or after the part that is listed. */
  readonly isTruncated: boolean;
}

/** The rules for some crawlers. */
export interface RobotsGroup {
  /** As written; `*` means all others. */
  readonly userAgents: readonly string[];
  /** Without rules, those of the next group apply (RFC 9309 section 2.2.1). */
  readonly rules: readonly RobotsRule[];
  /** `Crawl-delay` in seconds, which RFC 9309 does not define; null if absent. */
  readonly crawlDelay: number | null;
  readonly contentSignals: readonly ContentSignal[];
}

/** An `Allow` or `Disallow` line. */
export interface RobotsRule {
  readonly type: 'allow' | 'disallow';
  /** The path pattern; empty in a `Disallow:` that forbids nothing. */
  readonly path: string;
}

/** A preference about the use of the content, such as `ai-train=no`. */
export interface ContentSignal {
  /** The path to which it applies; null for all. */
  readonly path: string | null;
  /** `search`, `ai-input`, `ai-train` or another signal. */
  readonly name: string;
  readonly isAllowed: boolean;
}
