import { identityOf } from '../../src/sites/page/identity-of.ts';
import type { PageVisit } from '../../src/sites/page/page-visit.ts';
import type {
  DeclaredIdentity,
  DeclaredText,
  SiteAsset,
  SiteIdentity,
} from '../../src/sites/page/site-identity.ts';
import { mapOutcome, type Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { FetchStateType, SocialProfileType } from './page-parts.ts';
import { fieldOf, SiteResultType, withProblemOfData } from './site-result.ts';

type Identity = SiteIdentity & Pick<PageVisit, 'finalUrl' | 'fetchState'>;

/** Returns what a visited home page declares about the organization behind it. */
export function identityOfVisit(outcome: Outcome<PageVisit>): Outcome<Identity> {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    ...identityOf(visit),
    finalUrl: visit.finalUrl,
    fetchState: visit.fetchState,
  }));
}

const DeclaredTextType = builder.objectRef<DeclaredText>('DeclaredText').implement({
  description: 'A text, and what declares it.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The text, as declared.' }),
    source: t.exposeString('source', {
      description: 'What declares it, such as `json_ld` or `og:site_name`.',
    }),
  }),
});

const SiteAssetType = builder.objectRef<SiteAsset>('SiteAsset').implement({
  description: 'An image that represents a site. It is not downloaded, so it need not exist.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The absolute URL.' }),
    kind: t.exposeString('kind', {
      description: '`logo`, `favicon`, `touch_icon` or `preview_image`.',
    }),
    source: t.exposeString('source', { description: 'What declares it.' }),
    type: t.exposeString('type', { nullable: true, description: 'The declared media type.' }),
    sizes: t.exposeString('sizes', { nullable: true, description: 'The declared sizes.' }),
  }),
});

const DeclaredIdentityType = builder.objectRef<DeclaredIdentity>('DeclaredIdentity').implement({
  description: 'Another identity that a home page declares. The other side is not checked.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The URL.' }),
    platform: t.exposeString('platform', {
      nullable: true,
      description: 'The platform, such as `github`; null for other sites.',
    }),
    handle: t.exposeString('handle', {
      nullable: true,
      description: 'The name in the path of the URL; null if there is none.',
    }),
    source: t.exposeString('source', { description: '`same_as` (schema.org) or `rel_me`.' }),
  }),
});

const field = fieldOf<Identity>();

export const IdentityType = builder.objectRef<Outcome<Identity>>('SiteIdentity').implement({
  interfaces: [SiteResultType],
  description:
    'What the home page of a site declares about the organization behind it. These are claims of the site, each with its ' +
    'source; nothing is inferred or verified, and no e-mail addresses or telephone numbers are collected.',
  fields: (t) => ({
    websiteUrl: t.string(
      field('finalUrl', 'The URL of the home page, after redirects; null without a response.'),
    ),
    fetchState: t.field({
      type: FetchStateType,
      ...field(
        'fetchState',
        'Whether the home page could be read; `problem` says why it could not.',
      ),
    }),
    organization: t.field({
      type: DeclaredTextType,
      ...field('organization', 'The name of the organization.'),
    }),
    description: t.field({
      type: DeclaredTextType,
      ...field('description', 'The description of the organization.'),
    }),
  }),
});

builder.objectFields(IdentityType, (t) => ({
  logo: t.field({ type: SiteAssetType, ...field('logo', 'The logo.') }),
  favicon: t.field({ type: SiteAssetType, ...field('favicon', 'The icon.') }),
  touchIcon: t.field({
    type: SiteAssetType,
    ...field('touchIcon', 'The icon for home screens.'),
  }),
  previewImage: t.field({
    type: SiteAssetType,
    ...field('previewImage', 'The image for previews.'),
  }),
  candidates: t.field({
    type: [SiteAssetType],
    ...field('candidates', 'All declared images that could represent the site.'),
  }),
  manifestUrl: t.string(field('manifestUrl', 'The web app manifest.')),
  themeColor: t.string(field('themeColor', 'The theme colour.')),
}));

builder.objectFields(IdentityType, (t) => ({
  socialProfiles: t.field({
    type: [SocialProfileType],
    ...field('profiles', 'The profiles on platforms to which the home page refers.'),
  }),
  identities: t.field({
    type: [DeclaredIdentityType],
    ...field('identities', 'Every `sameAs` and `rel="me"`, on platforms or elsewhere.'),
  }),
}));
