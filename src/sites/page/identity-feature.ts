import * as shape from '../../api/rest/shape.ts';
import { mapOutcome } from '../../domain/outcome.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { readAt, siteEndpoint, unreadable } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import { lookupOf } from '../site-lookup.ts';
import { withProblemOfData } from '../site-result.ts';
import { identityOf } from './identity-of.ts';
import { isCharged, pageFact } from './page-feature.ts';

const lookup = lookupOf(pageFact, {
  name: 'identity',
  price: 2,
  workMs: 15,
  about: 'host',
  isCharged,
});

interface Declared {
  readonly source: string;
}

type IdentityAssets = Readonly<
  Record<(typeof declarations)[keyof typeof declarations], Declared | null>
>;

/** What declares each member of the body. */
const declarations = {
  organization_name: 'organization',
  logo_url: 'logo',
  favicon_url: 'favicon',
  touch_icon_url: 'touch_icon',
  preview_image_url: 'preview_image',
} as const;

const asset = '{ url kind source type sizes }';

/** `GET /v1/identity-assets`: names, images and profiles that a home page declares. */
const identityAssets = siteEndpoint<IdentityAssets>('/v1/identity-assets', {
  lookup,
  summary: 'Read the name, images and profiles of a site',
  description: `Returns the organization, logo, icons and social profiles that the home page declares, each with its source. ${unreadable}`,
  aliases: { skip_cache: skipCache },
  selection: `
    website_url: websiteUrl fetch_state: fetchState
    organization { value source }
    logo ${asset} favicon ${asset} touch_icon: touchIcon ${asset}
    preview_image: previewImage ${asset} candidates ${asset}
    manifest_url: manifestUrl theme_color: themeColor
    social_profiles: socialProfiles { platform handle url source }
  `,
  name: 'IdentityAssetsBody',
  members: {
    ...shape.same('website_url', 'fetch_state', 'social_profiles'),
    organization_name: shape.textOrNull('The name that the page declares.', 'organization.value'),
    assets: shape.object({
      logo_url: shape.textOrNull('The logo.', 'logo.url'),
      logo_source: shape.textOrNull('What declares the logo.', 'logo.source'),
      favicon_url: shape.textOrNull('The icon.', 'favicon.url'),
      touch_icon_url: shape.textOrNull('The icon for home screens.', 'touch_icon.url'),
      preview_image_url: shape.textOrNull('The image for link previews.', 'preview_image.url'),
      ...shape.same('manifest_url', 'theme_color', 'candidates'),
    }),
    evidence: [
      shape.list('What declares the members.', shape.text('Such as `logo_url: icon`.')),
      (result) =>
        Object.entries(declarations).flatMap(([field, member]) => {
          const declared = result[member];
          return declared ? [`${field}: ${declared.source}`] : [];
        }),
    ],
    ...readAt,
  },
});

interface Identity {
  readonly url: string;
  readonly platform: string | null;
  readonly source: string;
}

interface IdentityResolution {
  readonly website_url: string | null;
  readonly identities: readonly Identity[];
}

/** `GET /v1/identity-resolution`: the identities that a home page declares. */
const identityResolution = siteEndpoint<IdentityResolution>('/v1/identity-resolution', {
  lookup,
  summary: 'Read the declared identities of a site',
  description: `Returns the identities that the home page declares by \`sameAs\` or \`rel=me\`. Nothing is inferred, and no declaration is verified. ${unreadable}`,
  aliases: { skip_cache: skipCache },
  selection: `
    website_url: websiteUrl fetch_state: fetchState
    organization { value source } description { value source }
    identities { url platform handle source }
  `,
  name: 'IdentityBody',
  members: {
    ...shape.same('website_url', 'fetch_state'),
    identities: shape.items('identities', 'DeclaredIdentity', {
      platform: shape.text(
        'The platform, such as `github`; the host name of `url` if it is not known.',
        ({ platform, url }: Identity) => platform ?? new URL(url).hostname,
      ),
    }),
    query: shape.text('The host name that was requested.', 'domain'),
    canonical_domain: shape.textOrNull(
      'The host name of `website_url`; null if the page could not be read.',
      ({ website_url: url }) => (url === null ? null : new URL(url).hostname),
    ),
    organization: shape.object({
      name: shape.textOrNull('The name that the page declares.', 'organization.value'),
      description: shape.textOrNull('The description that the page declares.', 'description.value'),
    }),
    evidence: shape.object({
      declared_identity_count: shape.count('Number of identities.', 'identities.length'),
      sources: [
        shape.list('What declares them.', shape.text('`same_as` or `rel_me`.')),
        ({ identities }) => [...new Set(identities.map(({ source }) => source))],
      ],
    }),
    ...readAt,
  },
});

/** The feature `identity`: what a home page declares about the organization behind it. */
export const identity = {
  lookup,
  field: resultField('SiteIdentity', lookup, (outcome) =>
    mapOutcome(withProblemOfData(outcome), (visit) => ({
      ...identityOf(visit),
      finalUrl: visit.finalUrl,
      fetchState: visit.fetchState,
    })),
  ),
  endpoints: [identityAssets, identityResolution],
} satisfies Feature;
