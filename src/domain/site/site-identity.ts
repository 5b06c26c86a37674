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

export interface SiteAsset {
  readonly url: string;
  readonly kind: 'logo' | 'favicon' | 'touch_icon' | 'preview_image';
  readonly source: string;
  readonly type: string | null;
  readonly sizes: string | null;
}

export interface SocialProfile {
  readonly platform: string;
  /** The name in the path of the URL; null if there is none. */
  readonly handle: string | null;
  readonly url: string;
  readonly source: 'same_as' | 'rel_me' | 'homepage_link';
}

export interface DeclaredIdentity {
  readonly url: string;
  readonly platform: string | null;
  readonly handle: string | null;
  readonly source: 'same_as' | 'rel_me';
}
