import type { PageDocument } from './page-visit.ts';
import { containsEmailAddress } from './email-addresses.ts';
import type { DeclaredIdentity, SocialProfile } from './site-identity.ts';
import { platformOf } from './social-platforms.ts';
import { webUrl } from './declared-text.ts';
import { sameAsOf } from './organization.ts';
import { handleOf, isProfileLink } from './profile-handle.ts';

const maxIdentities = 100;

interface Reference {
  readonly url: string;
  readonly platform: string | null;
  readonly handle: string | null;
  readonly source: SocialProfile['source'];
}

/** Returns each URL of `sameAs` and `rel="me"` once, at most 100. */
export function identitiesIn(
  document: PageDocument,
  base: string | null,
): readonly DeclaredIdentity[] {
  return references(document, base).flatMap(({ source, ...reference }) =>
    source === 'homepage_link' ? [] : [{ ...reference, source }],
  );
}

/**
 * Returns the profiles on known platforms, each URL once, at most 100. A plain link counts only if
 * its path is that of a profile: pages also link to posts and to forms that share them.
 */
export function profilesIn(document: PageDocument, base: string | null): readonly SocialProfile[] {
  return references(document, base).flatMap(({ platform, ...reference }) =>
    platform === null ? [] : [{ platform, ...reference }],
  );
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
    const id = idOf(url);
    if (!found.has(id)) found.set(id, { url: url.href, ...profileAt(url), source });
    if (found.size === maxIdentities) break;
  }
  return [...found.values()];
}

function profileAt(url: URL): Pick<Reference, 'platform' | 'handle'> {
  const platform = platformOf(url) ?? null;
  return { platform, handle: platform && handleOf(platform, url) };
}

/** `http://www.x.com/a/` and `https://x.com/a` are the same profile. */
function idOf({ hostname, pathname, search }: URL): string {
  return `${hostname.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}${search}`;
}
