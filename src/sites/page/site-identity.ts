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
