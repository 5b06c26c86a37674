import type { ProblemCode } from '../../domain/problems.ts';
import type { Json } from '../../domain/registration.ts';

/**
 * Whether a page could be read. `ok`: it is HTML. `blocked`: robots.txt, the site or an address that
 * is not public forbids it. `http_error`: an error status, or no HTTP response. Both have a
 * problem. `non_html`: another media type. `empty`: no content.
 */
export type FetchState = 'ok' | 'blocked' | 'http_error' | 'non_html' | 'empty';

/** A visit of a page, with what was found there. The text of the page is not stored. */
export interface PageVisit {
  readonly requestedUrl: string;
  /** The URL of the last response; null without a response. */
  readonly finalUrl: string | null;
  /** The HTTP status of the last response; null without a response. */
  readonly status: number | null;
  readonly fetchState: FetchState;
  /** Why the page could not be read, if the state is `blocked` or `http_error`. */
  readonly problem: VisitProblem | null;
  /** Lower case, without parameters; null if absent. */
  readonly contentType: string | null;
  /** The redirects, in order; the target of the last may have no response. */
  readonly redirects: readonly Redirect[];
  /**
   * The headers of the last response by lower-case name, except `set-cookie`; repeated lines are
   * joined by `, `, those of `x-robots-tag` by a line feed. At most 100 headers of at most 8,000
   * characters.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the cookies that the responses set, at most 50. Their values are not stored. */
  readonly cookieNames: readonly string[];
  /** What the HTML declares; null unless the state is `ok`. */
  readonly document: PageDocument | null;
}

/** Why a page could not be read. */
export interface VisitProblem {
  readonly code: Extract<ProblemCode, 'site_unreachable' | 'site_blocked' | 'site_timeout'>;
  readonly detail: string;
}

/** A response that redirected: its URL and status. */
export interface Redirect {
  readonly url: string;
  readonly status: number;
}

/**
 * What the HTML of a page declares. Lists and texts are shortened: a page cannot make a visit larger
 * than about 200 KB. URLs are absolute.
 */
export interface PageDocument {
  /** `<html lang>`, else a `Content-Language` with one language. */
  readonly language: string | null;
  readonly title: string | null;
  readonly metas: readonly MetaElement[];
  readonly links: readonly LinkElement[];
  readonly anchors: AnchorSummary;
  /** The `src` of scripts. */
  readonly scripts: readonly string[];
  readonly structuredData: StructuredData;
  /** The page has more than was read: 512 KiB and 5,000 URLs. */
  readonly isTruncated: boolean;
  /** What declares a tool of WebMCP: an attribute, or a call in a script of the page. */
  readonly webMcp: readonly string[];
}

/** A `<meta>` with a name and a content. */
export interface MetaElement {
  /** `name`, `property` or `http-equiv`, in lower case. */
  readonly key: string;
  readonly content: string;
}

/** A `<link>`. */
export interface LinkElement {
  /** The link types, in lower case. */
  readonly rel: readonly string[];
  readonly url: string;
  readonly type: string | null;
  readonly sizes: string | null;
}

/** The `<a href>` of a page. */
export interface AnchorSummary {
  readonly total: number;
  /** Links to the same registrable domain. */
  readonly internal: number;
  readonly external: number;
  /** Links with `rel="me"`. */
  readonly relMe: readonly string[];
  /** Links to profiles on the platforms of `social-platforms.json`, without `rel="me"`. */
  readonly profiles: readonly string[];
}

/** JSON-LD and Microdata. */
export interface StructuredData {
  /** The schema.org types without the prefix of the vocabulary, in order of appearance. */
  readonly types: readonly string[];
  /** The JSON-LD objects; the members of a `@graph` are items of their own. */
  readonly items: readonly Json[];
  /**
   * The number of JSON-LD blocks that could not be read: they are not valid JSON, are nested too
   * deeply, or are beyond the first 100,000 characters of JSON-LD.
   */
  readonly parseErrors: number;
}

/** What a home page declares about the organization behind it. */
export interface SiteIdentity {
  readonly organization: DeclaredText | null;
  readonly description: DeclaredText | null;
  readonly logo: SiteAsset | null;
  readonly favicon: SiteAsset | null;
  readonly touchIcon: SiteAsset | null;
  readonly previewImage: SiteAsset | null;
  readonly manifestUrl: string | null;
  readonly themeColor: string | null;
  /** All images that could represent the site. */
  readonly candidates: readonly SiteAsset[];
  readonly profiles: readonly SocialProfile[];
  /** Every `sameAs` and `rel="me"`, on platforms or elsewhere. */
  readonly identities: readonly DeclaredIdentity[];
}

/** A text, and what declares it, such as `json_ld` or `og:site_name`. */
export interface DeclaredText {
  readonly value: string;
  readonly source: string;
}

/** An image that a page declares, by its absolute URL. */
export interface SiteAsset {
  readonly url: string;
  readonly kind: 'logo' | 'favicon' | 'touch_icon' | 'preview_image';
  /** What declares it, such as `json_ld`, `og:image` or `link:icon`. */
  readonly source: string;
  /** The declared media type. */
  readonly type: string | null;
  readonly sizes: string | null;
}

/** A profile on a platform to which a page refers. */
export interface SocialProfile {
  readonly platform: string;
  /** The name in the path of the URL; null if there is none. */
  readonly handle: string | null;
  readonly url: string;
  readonly source: 'same_as' | 'rel_me' | 'homepage_link';
}

/** An identity that a page declares, on a platform or elsewhere. */
export interface DeclaredIdentity {
  readonly url: string;
  readonly platform: string | null;
  readonly handle: string | null;
  readonly source: 'same_as' | 'rel_me';
}
