import { lowerCase, siteRoute } from './site-route.ts';

interface Declared {
  readonly value: string;
  readonly source: string;
}

interface Asset {
  readonly url: string;
  readonly source: string;
}

interface Identity {
  readonly website_url: string | null;
  readonly organization: Declared | null;
}

interface IdentityAssets extends Identity {
  readonly logo: Asset | null;
  readonly favicon: Asset | null;
  readonly touch_icon: Asset | null;
  readonly preview_image: Asset | null;
  readonly manifest_url: string | null;
  readonly theme_color: string | null;
  readonly candidates: readonly Asset[];
  readonly social_profiles: readonly { readonly url: string; readonly source: string }[];
}

/** `GET /v1/identity-assets`: names, images and profiles that a home page declares. */
export const identityAssetsRoute = siteRoute<IdentityAssets>({
  path: '/v1/identity-assets',
  target: 'domain',
  bodyOf: (result) => ({
    website_url: result.website_url,
    fetch_state: lowerCase(result.fetch_state),
    organization_name: result.organization?.value ?? null,
    assets: {
      logo_url: result.logo?.url ?? null,
      logo_source: result.logo?.source ?? null,
      favicon_url: result.favicon?.url ?? null,
      touch_icon_url: result.touch_icon?.url ?? null,
      preview_image_url: result.preview_image?.url ?? null,
      manifest_url: result.manifest_url,
      theme_color: result.theme_color,
      candidates: result.candidates,
    },
    social_profiles: result.social_profiles,
    evidence: evidenceOf(result),
  }),
});

/** Returns what declares each member of the body. */
function evidenceOf(result: IdentityAssets): readonly object[] {
  const sources = {
    organization_name: result.organization?.source,
    logo_url: result.logo?.source,
    favicon_url: result.favicon?.source,
    touch_icon_url: result.touch_icon?.source,
    preview_image_url: result.preview_image?.source,
  };
  return Object.entries(sources).flatMap(([field, source]) =>
    source === undefined ? [] : [{ field, source }],
  );
}

interface IdentityResolution extends Identity {
  readonly description: Declared | null;
  readonly identities: readonly { readonly source: string }[];
}

/** `GET /v1/identity-resolution`: the identities that a home page declares. */
export const identityResolutionRoute = siteRoute<IdentityResolution>({
  path: '/v1/identity-resolution',
  target: 'domain',
  bodyOf: (result) => ({
    canonical_domain: result.website_url === null ? null : new URL(result.website_url).hostname,
    website_url: result.website_url,
    fetch_state: lowerCase(result.fetch_state),
    organization: {
      name: result.organization?.value ?? null,
      description: result.description?.value ?? null,
    },
    identities: result.identities,
    evidence: {
      declared_identity_count: result.identities.length,
      sources: [...new Set(result.identities.map(({ source }) => source))],
    },
  }),
});
