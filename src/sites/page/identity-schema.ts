import { resultField } from '../site-field.ts';
import { identityLookup } from './page-lookups.ts';
import { identityOf } from './identity-of.ts';
import type { PageVisit, DeclaredIdentity, DeclaredText, SiteAsset } from './page-visit.ts';
import { mapOutcome, type Outcome } from '../../domain/outcome.ts';
import { objectType, nullableStrings } from '../../schema/builder.ts';
import { FetchStateType, SocialProfileType } from './page-schema.ts';
import { siteResult, withProblemOfData, type DataOf } from '../site-result.ts';

/** Returns what a visited home page declares about the organization behind it. */
export function identityOfVisit(outcome: Outcome<PageVisit>) {
  return mapOutcome(withProblemOfData(outcome), (visit) => ({
    ...identityOf(visit),
    finalUrl: visit.finalUrl,
    fetchState: visit.fetchState,
  }));
}

const DeclaredTextType = objectType<DeclaredText>('DeclaredText', (t) => ({
  value: t.exposeString('value'),
  source: t.exposeString('source'),
}));

const SiteAssetType = objectType<SiteAsset>('SiteAsset', (t) => ({
  url: t.exposeString('url'),
  kind: t.exposeString('kind'),
  source: t.exposeString('source'),
  ...nullableStrings(t, 'type', 'sizes'),
}));

const DeclaredIdentityType = objectType<DeclaredIdentity>('DeclaredIdentity', (t) => ({
  url: t.exposeString('url'),
  ...nullableStrings(t, 'platform', 'handle'),
  source: t.exposeString('source'),
}));

export const IdentityType = siteResult<DataOf<typeof identityOfVisit>>(
  'SiteIdentity',
  (t, field) => ({
    websiteUrl: t.string(field('finalUrl')),
    fetchState: t.field({ type: FetchStateType, ...field('fetchState') }),
    organization: t.field({ type: DeclaredTextType, ...field('organization') }),
    description: t.field({ type: DeclaredTextType, ...field('description') }),
    logo: t.field({ type: SiteAssetType, ...field('logo') }),
    favicon: t.field({ type: SiteAssetType, ...field('favicon') }),
    touchIcon: t.field({ type: SiteAssetType, ...field('touchIcon') }),
    previewImage: t.field({ type: SiteAssetType, ...field('previewImage') }),
    candidates: t.field({ type: [SiteAssetType], ...field('candidates') }),
    manifestUrl: t.string(field('manifestUrl')),
    themeColor: t.string(field('themeColor')),
    socialProfiles: t.field({ type: [SocialProfileType], ...field('profiles') }),
    identities: t.field({ type: [DeclaredIdentityType], ...field('identities') }),
  }),
);

export const identityField = resultField(IdentityType, identityLookup, identityOfVisit);
