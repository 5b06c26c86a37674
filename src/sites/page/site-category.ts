/** A category that a page declares by a type of schema.org or by `og:type`. */
export interface SiteCategory {
  /** Such as `business`; derived from the declared type by a table. */
  readonly category: string;
  /** The declared type, such as `Restaurant` or `og:article`. */
  readonly subcategory: string;
  /** What declares it: `json_ld`, `microdata` or `og:type`. */
  readonly source: string;
}
