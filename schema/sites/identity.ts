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
import { dataField, listField, SiteResultType, withProblemOfData } from './site-result.ts';

interface Identity {
  readonly visit: PageVisit;
  readonly declared: SiteIdentity;
}

/** Returns what a visited home page declares about the organization behind it. */
export function identityOfVisit(outcome: Outcome<PageVisit>): Outcome<Identity> {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    visit,
    declared: identityOf(visit),
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

const field = <R>(read: (declared: SiteIdentity) => R | null) =>
  dataField(({ declared }: Identity) => read(declared));

export const IdentityType = builder.objectRef<Outcome<Identity>>('SiteIdentity').implement({
  interfaces: [SiteResultType],
  description:
    'What the home page of a site declares about the organization behind it. These are claims of the site, each with its ' +
    'source; nothing is inferred or verified, and no e-mail addresses or telephone numbers are collected.',
  fields: (t) => ({
    websiteUrl: t.string({
      nullable: true,
      description: 'The URL of the home page, after redirects; null without a response.',
      resolve: dataField(({ visit }: Identity) => visit.finalUrl),
    }),
    fetchState: t.field({
      type: FetchStateType,
      nullable: true,
      description: 'Whether the home page could be read; `problem` says why it could not.',
      resolve: dataField(({ visit }: Identity) => visit.fetchState),
    }),
    organization: t.field({
      type: DeclaredTextType,
      nullable: true,
      description: 'The name of the organization.',
      resolve: field(({ organization }) => organization),
    }),
    description: t.field({
      type: DeclaredTextType,
      nullable: true,
      description: 'The description of the organization.',
      resolve: field(({ description }) => description),
    }),
  }),
});

builder.objectFields(IdentityType, (t) => ({
  logo: t.field({
    type: SiteAssetType,
    nullable: true,
    description: 'The logo.',
    resolve: field(({ logo }) => logo),
  }),
  favicon: t.field({
    type: SiteAssetType,
    nullable: true,
    description: 'The icon.',
    resolve: field(({ favicon }) => favicon),
  }),
  touchIcon: t.field({
    type: SiteAssetType,
    nullable: true,
    description: 'The icon for home screens.',
    resolve: field(({ touchIcon }) => touchIcon),
  }),
  previewImage: t.field({
    type: SiteAssetType,
    nullable: true,
    description: 'The image for previews.',
    resolve: field(({ previewImage }) => previewImage),
  }),
  candidates: t.field({
    type: [SiteAssetType],
    nullable: true,
    description: 'All declared images that could represent the site.',
    resolve: listField(({ declared }: Identity) => declared.candidates),
  }),
  manifestUrl: t.string({
    nullable: true,
    description: 'The web app manifest.',
    resolve: field(({ manifestUrl }) => manifestUrl),
  }),
  themeColor: t.string({
    nullable: true,
    description: 'The theme colour.',
    resolve: field(({ themeColor }) => themeColor),
  }),
}));

builder.objectFields(IdentityType, (t) => ({
  socialProfiles: t.field({
    type: [SocialProfileType],
    nullable: true,
    description: 'The profiles on platforms to which the home page refers.',
    resolve: listField(({ declared }: Identity) => declared.profiles),
  }),
  identities: t.field({
    type: [DeclaredIdentityType],
    nullable: true,
    description: 'Every `sameAs` and `rel="me"`, on platforms or elsewhere.',
    resolve: listField(({ declared }: Identity) => declared.identities),
  }),
}));
