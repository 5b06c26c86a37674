/** A product that a site uses, with what shows it. */
export interface Technology {
  /** Stable, such as `wordpress`. */
  readonly id: string;
  readonly name: string;
  readonly category: TechnologyCategory;
  readonly version: string | null;
  readonly evidence: readonly TechnologyEvidence[];
}

/** The categories of products; each product has one. */
export const technologyCategories = [
  'analytics',
  'cdn',
  'cms',
  'consent',
  'dns',
  'ecommerce',
  'font',
  'framework',
  'hosting',
  'javascript_library',
  'marketing',
  'monitoring',
  'payment',
  'programming_language',
  /** Public copies of scripts: it is not the CDN that delivers the site. */
  'script_cdn',
  'security',
  'server',
  'site_builder',
  'support',
  'tag_manager',
  'video',
] as const;
export type TechnologyCategory = (typeof technologyCategories)[number];

/** Where a product was recognized, and by what. */
export interface TechnologyEvidence {
  readonly source: EvidenceSource;
  /** The name of the header, cookie or meta element, or the product that implies this one. */
  readonly key: string | null;
  /** The text that was recognized, at most 200 characters. */
  readonly matched: string;
}

/**
 * Where a product was recognized. `host`: the name of the site. `implied`: another product that was
 * detected requires this one.
 */
type EvidenceSource =
  'header' | 'cookie' | 'meta' | 'script' | 'link' | 'host' | 'cname' | 'nameserver' | 'implied';

/**
 * States by what a product is recognized. Texts are compared as they are or as prefixes and suffixes
 * of words, without regular expressions, so that the time is linear.
 */
export type TechnologyRule =
  | HeaderRule
  | { readonly cookie: string }
  | { readonly cookiePrefix: string }
  /** The product in `<meta name="generator">`; the version follows it. */
  | { readonly generator: string }
  /** A meta element of this name, with this content if it is set. */
  | { readonly meta: string; readonly content?: string }
  | ScriptHostRule
  /** Scripts of the site itself whose path contains this. */
  | { readonly scriptPath: string }
  | ScriptFileRule
  /** Style sheets and preloads of this host, or of names under it. */
  | { readonly linkHost: string }
  /** Style sheets and preloads of the site itself whose path contains this. */
  | { readonly linkPath: string }
  /** A link type that only this product uses. */
  | { readonly linkRel: string }
  /** The site has a name under this one. A label `*` is any label, `a-*` one that starts so. */
  | { readonly host: string }
  | { readonly cname: string }
  | { readonly nameserver: string };

/** Scripts of this host, or of names under it. */
export interface ScriptHostRule {
  readonly scriptHost: string;
  /** The path starts with this. */
  readonly path?: string;
  /** A parameter of the query starts with this, such as `id=G-`. */
  readonly parameter?: string;
}

/** A script of any host with this file name, such as `jquery` for `jquery-3.7.1.min.js`. */
export interface ScriptFileRule {
  readonly scriptFile: string;
  /** Other scripts have this name, too, so that it counts only with a version or as a build. */
  readonly isCommonName?: boolean;
}

/**
 * Only one of `prefix`, `product`, `element` and `includes` is set; without any, the header is
 * enough. All ignore case.
 */
export interface HeaderRule {
  readonly header: string;
  /** The first word or words of the value; the version follows them. */
  readonly prefix?: string;
  /** A product token anywhere in the value, such as `PHP` in `Apache/2.4 PHP/8.3` (RFC 9110). */
  readonly product?: string;
  /** The whole value, or one of the values of a list with commas. */
  readonly element?: string;
  readonly includes?: string;
  /** Texts in the value that name another product. */
  readonly except?: readonly string[];
  /** Sites under this name send the header without the product. */
  readonly exceptHost?: string;
}

/** A product that can be recognized, by any of its rules. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly rules: readonly TechnologyRule[];
  /** The ids of products without which this one cannot run. */
  readonly implies?: readonly string[];
}
