import type { PageDocument } from './page-visit.ts';
import type { SiteAsset } from './site-identity.ts';
import { shortText, webUrl } from './declared-text.ts';
import { logosOf } from './organization.ts';

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
export function assetsOf(document: PageDocument, base: string | null): readonly SiteAsset[] {
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
