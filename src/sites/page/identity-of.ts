import { withoutWww } from '../site-target.ts';
import type { JsonObject, Json } from '../../domain/registration.ts';
import type {
  PageDocument,
  PageVisit,
  DeclaredText,
  SiteAsset,
  SiteIdentity,
  DeclaredIdentity,
  SocialProfile,
} from './page-visit.ts';
import { shortText, webUrl, containsEmailAddress } from './page-text.ts';
import {
  stringsOf,
  isObject,
  typesOf,
  urlsOf,
  valuesOf,
  isOrganizationType,
  isPageType,
} from './json-ld.ts';
import { handleOf, isProfileLink, platformOf } from './social-platforms.ts';

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
    // A plain link counts only if its path is that of a profile: pages also link to posts and to
    // forms that share them.
    profiles: references(document, finalUrl).flatMap(({ platform, ...reference }) =>
      platform === null ? [] : [{ platform, ...reference }],
    ),
    identities: references(document, finalUrl).flatMap(({ source, ...reference }) =>
      source === 'homepage_link' ? [] : [{ ...reference, source }],
    ),
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

const maxIdentities = 100;

interface Reference extends Omit<DeclaredIdentity, 'source'> {
  readonly source: SocialProfile['source'];
}

/** The strongest source comes first, so that it wins if a URL has several. */
function references(document: PageDocument, base: string | null): readonly Reference[] {
  const { anchors, links, structuredData } = document;
  const relMeLinks = links.filter(({ rel }) => rel.includes('me')).map(({ url }) => url);
  const declared = [
    ...sameAsOf(structuredData.items).map((url) => ({ url, source: 'same_as' as const })),
    ...[...relMeLinks, ...anchors.relMe].map((url) => ({ url, source: 'rel_me' as const })),
    ...anchors.profiles.map((url) => ({ url, source: 'homepage_link' as const })),
  ];
  const found = new Map<string, Reference>();
  for (const { url: text, source } of declared) {
    const url = webUrl(text, base);
    if (!url || containsEmailAddress(url.search + url.hash)) continue;
    if (source === 'homepage_link' && !isProfileLink(url)) continue;
    // `http://www.x.com/a/` and `https://x.com/a` are the same profile.
    const id = `${withoutWww(url.hostname)}${url.pathname.replace(/\/$/, '')}${url.search}`;
    if (!found.has(id)) found.set(id, { url: url.href, ...profileAt(url), source });
    if (found.size === maxIdentities) break;
  }

  return [...found.values()];
}

function profileAt(url: URL): Pick<Reference, 'platform' | 'handle'> {
  const platform = platformOf(url) ?? null;
  return { platform, handle: platform && handleOf(platform, url) };
}

const maxAssets = 50;

interface Declaration extends Pick<SiteAsset, 'kind' | 'source'> {
  readonly href: string;
  readonly type?: string | null;
  readonly sizes?: string | null;
}

/** Link types of icons. `shortcut icon` is also of type `icon`. */
const iconKinds: readonly { rel: string; kind: SiteAsset['kind'] }[] = [
  { rel: 'icon', kind: 'favicon' },
  { rel: 'apple-touch-icon', kind: 'touch_icon' },
  { rel: 'apple-touch-icon-precomposed', kind: 'touch_icon' },
];

/** In order of preference; Open Graph allows each of its three. */
const previewKeys = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'];

/** Returns the images that a page declares for itself, each kind and URL once, at most 50. */
function assetsOf(document: PageDocument, base: string | null): readonly SiteAsset[] {
  const assets = new Map<string, SiteAsset>();
  for (const declaration of [...logos(document), ...previews(document), ...icons(document)]) {
    if (assets.size === maxAssets) break;

    const url = webUrl(declaration.href, base)?.href;
    if (url === undefined) continue;

    const { kind, source, type, sizes } = declaration;
    const id = `${kind} ${url}`;
    if (!assets.has(id))
      assets.set(id, { url, kind, source, type: type ?? null, sizes: sizes ?? null });
  }

  return [...assets.values()];
}

function logos({ structuredData }: PageDocument): readonly Declaration[] {
  const source = 'json_ld';
  return logosOf(structuredData.items).map((href) => ({ kind: 'logo', source, href }));
}

function previews({ metas }: PageDocument): readonly Declaration[] {
  return previewKeys.flatMap((source) =>
    metas
      .filter(({ key }) => key === source)
      .map(({ content }) => ({ kind: 'preview_image', source, href: content })),
  );
}

function icons({ links }: PageDocument): readonly Declaration[] {
  return links.flatMap((link) =>
    iconKinds
      .filter(({ rel }) => link.rel.includes(rel))
      .map(({ rel, kind }) => ({
        kind,
        source: `link:${rel}`,
        href: link.url,
        type: shortText(link.type ?? '', 100),
        sizes: shortText(link.sizes ?? '', 100),
      })),
  );
}

const maxOwners = 20;

/**
 * Returns the JSON-LD objects of the organizations behind a page: the publishers of the site, then
 * the items of such a type, then the publishers of the page. Items may also be about others, such as
 * a restaurant in a review.
 */
function organizationsOf(items: readonly Json[]): readonly JsonObject[] {
  const objects = items.filter(isObject);
  const organizations = [
    ...publishersOf(objects, (type) => type === 'WebSite'),
    ...objects,
    ...publishersOf(objects, isPageType),
  ].filter((item) => hasType(item, isOrganizationType));

  return [...new Set(organizations)].slice(0, maxOwners);
}

/** Returns the publishers of the items of a type: objects, or items by their `@id`. */
function publishersOf(
  objects: readonly JsonObject[],
  isWanted: (type: string) => boolean,
): readonly JsonObject[] {
  return objects
    .filter((item) => hasType(item, isWanted))
    .slice(0, maxOwners)
    .flatMap((item) => valuesOf(item['publisher']))
    .filter(isObject)
    .slice(0, maxOwners)
    .map((publisher) => {
      const id = publisher['@id'];
      const isReference = publisher['@type'] === undefined && typeof id === 'string';
      return (isReference && objects.find((item) => item['@id'] === id)) || publisher;
    });
}

/** Returns the `sameAs` of the organizations, the persons and the site of a page. */
function sameAsOf(items: readonly Json[]): readonly string[] {
  const others = items
    .filter(isObject)
    .filter((item) => hasType(item, (type) => type === 'Person' || type === 'WebSite'))
    .slice(0, maxOwners);
  return [...organizationsOf(items), ...others].flatMap((item) => urlsOf(item['sameAs']));
}

/** Returns the URLs of the logos: strings, or `ImageObject` with `url` or `contentUrl`. */
function logosOf(items: readonly Json[]): readonly string[] {
  return organizationsOf(items)
    .flatMap((item) => valuesOf(item['logo']))
    .flatMap((logo) =>
      isObject(logo)
        ? stringsOf(logo['url'] ?? logo['contentUrl'] ?? logo['@id'])
        : stringsOf(logo),
    );
}

function hasType(item: JsonObject, isWanted: (type: string) => boolean): boolean {
  return typesOf(item).some(isWanted);
}
