import type { JsonObject } from '../../domain/registration.ts';
import type { PageDocument, PageVisit } from './page-visit.ts';
import type { DeclaredText, SiteAsset, SiteIdentity } from './site-identity.ts';
import { shortText, webUrl } from './declared-text.ts';
import { stringsOf } from './json-ld.ts';
import { identitiesIn, profilesIn } from './declared-identities.ts';
import { organizationsOf } from './organization.ts';
import { assetsOf } from './site-assets.ts';

const maxNameLength = 200;
const maxDescriptionLength = 1000;

const nothing: SiteIdentity = {
  organization: null,
  description: null,
  logo: null,
  favicon: null,
  touchIcon: null,
  previewImage: null,
  manifestUrl: null,
  themeColor: null,
  candidates: [],
  profiles: [],
  identities: [],
};

/**
 * Returns what a page declares about the organization behind it. The name is that of a JSON-LD
 * organization, else `og:site_name`, else `application-name`; the description that of the JSON-LD
 * organization, else of the page. E-mail addresses and telephone numbers are not read.
 */
export function identityOf({ document, finalUrl }: PageVisit): SiteIdentity {
  if (!document) return nothing;
  const candidates = assetsOf(document, finalUrl);
  const first = (kind: SiteAsset['kind']) =>
    candidates.find((candidate) => candidate.kind === kind) ?? null;
  return {
    organization: declaredText(document, 'name', nameKeys, maxNameLength),
    description: declaredText(document, 'description', descriptionKeys, maxDescriptionLength),
    logo: first('logo'),
    favicon: first('favicon'),
    touchIcon: first('touch_icon'),
    previewImage: first('preview_image'),
    manifestUrl: linkedUrl(document, 'manifest', finalUrl),
    themeColor: metaText(document, 'theme-color', 100),
    candidates,
    profiles: profilesIn(document, finalUrl),
    identities: identitiesIn(document, finalUrl),
  };
}

const nameKeys = ['og:site_name', 'application-name'];
const descriptionKeys = ['description', 'og:description'];

function declaredText(
  document: PageDocument,
  member: string,
  metaKeys: readonly string[],
  maxLength: number,
): DeclaredText | null {
  const owners = organizationsOf(document.structuredData.items);
  const value = owners.map((owner) => memberText(owner, member, maxLength)).find(Boolean);
  if (value) return { value, source: 'json_ld' };
  for (const source of metaKeys) {
    const content = metaText(document, source, maxLength);
    if (content !== null) return { value: content, source };
  }
  return null;
}

function memberText(owner: JsonObject, member: string, maxLength: number): string | null {
  const [text] = stringsOf(owner[member]);
  return text === undefined ? null : shortText(text, maxLength);
}

/** Returns the first non-empty content of a meta element. */
export function metaText({ metas }: PageDocument, name: string, maxLength: number): string | null {
  for (const { key, content } of metas) {
    const text = key === name ? shortText(content, maxLength) : null;
    if (text !== null) return text;
  }
  return null;
}

/** Returns the URL of the first link of a type that is an absolute web URL. */
export function linkedUrl(
  { links }: PageDocument,
  rel: string,
  base: string | null,
): string | null {
  for (const link of links) {
    const url = link.rel.includes(rel) ? webUrl(link.url, base) : null;
    if (url) return url.href;
  }
  return null;
}
