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
