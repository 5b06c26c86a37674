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
  /** A meta element of this name. */
  | { readonly meta: string }
  /** Scripts of this host, or of names under it, whose path starts with this if it is set. */
  | { readonly scriptHost: string; readonly path?: string }
  /** Scripts of the site itself whose path contains this. */
  | { readonly scriptPath: string }
  /** A script of any host with this file name, such as `jquery` for `jquery-3.7.1.min.js`. */
  | { readonly scriptFile: string }
  /** Style sheets, preloads and connections of this host, or of names under it. */
  | { readonly linkHost: string }
  /** Style sheets and preloads of the site itself whose path contains this. */
  | { readonly linkPath: string }
  /** A link type that only this product uses. */
  | { readonly linkRel: string }
  /** The site has a name under this one. */
  | { readonly host: string }
  | { readonly cname: string }
  | { readonly nameserver: string };

/** Only one of the conditions is set; without any, the header is enough. All ignore case. */
export interface HeaderRule {
  readonly header: string;
  /** The first word or words of the value; the version follows them. */
  readonly prefix?: string;
  /** A product token anywhere in the value, such as `PHP` in `Apache/2.4 PHP/8.3` (RFC 9110). */
  readonly product?: string;
  readonly includes?: string;
}

/** A product that can be recognized, by any of its rules. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly rules: readonly TechnologyRule[];
  /** The ids of products without which this one cannot run. */
  readonly implies?: readonly string[];
}
