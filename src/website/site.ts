import { html, trusted, type Html } from './docs/html.ts';

type SitePart = 'search' | 'graphiql' | 'docs';

interface SiteLinks {
  /** Path from the page to `/`, such as `./` or `../`: absolute paths break behind a proxy with a path prefix. */
  readonly root: string;
  /** Path of `icon.svg`, which starts with `/`. */
  readonly iconPath: string;
  /** Whether browsers get GraphiQL. */
  readonly hasGraphiql: boolean;
}

/** Returns the HTML of the header that all pages share. Its style is in `site.css`. */
export function siteHeader(
  current: SitePart | undefined,
  { root, iconPath, hasGraphiql }: SiteLinks,
): Html {
  const link = (part: SitePart, href: string, text: string) =>
    `<a href="${root}${href}"${part === current ? ' aria-current="page"' : ''}>${text}</a>`;
  const links = [
    link('search', '', 'Search'),
    ...(hasGraphiql ? [link('graphiql', 'graphql', 'GraphiQL')] : []),
    link('docs', 'docs', 'Docs'),
  ];

  return trusted(`<header class="site-header"><div>
<a class="site-name" href="${root}"><img src="${root}${iconPath.slice(1)}" width="24" height="24" alt="">RDAP Gateway</a>
<nav aria-label="Site">${links.join('\n')}</nav>
</div></header>`);
}

/** What the head of a page contains. Paths are relative to the page. */
interface Head {
  readonly title: string;
  readonly description: string;
  /** The URL of the page as Markdown. */
  readonly markdown?: string;
  readonly icon: string;
  readonly styles: readonly string[];
  /** Classic scripts, which run in this order once the page is parsed. */
  readonly scripts?: readonly string[];
  readonly modules?: readonly string[];
}

/** Renders the head of a page, with a card for links to it in chats and social networks. */
export function renderHead({
  title,
  description,
  markdown,
  icon,
  styles,
  scripts = [],
  modules = [],
}: Head): Html {
  const lines = [
    html`<meta charset="utf-8" />`,
    html`<meta name="viewport" content="width=device-width, initial-scale=1" />`,
    html`<meta name="color-scheme" content="light dark" />`,
    html`<title>${title} · RDAP Gateway</title>`,
    html`<meta name="description" content="${description}" />`,
    html`<meta property="og:type" content="website" />`,
    html`<meta property="og:site_name" content="RDAP Gateway" />`,
    html`<meta property="og:title" content="${title}" />`,
    html`<meta property="og:description" content="${description}" />`,
    html`<meta name="twitter:card" content="summary" />`,
    ...(markdown === undefined
      ? []
      : [html`<link rel="alternate" type="text/markdown" href="${markdown}" />`]),
    html`<link rel="icon" href="${icon}" type="image/svg+xml" />`,
    ...styles.map((href) => html`<link rel="stylesheet" href="${href}" />`),
    ...scripts.map((src) => html`<script defer src="${src}"></script>`),
    ...modules.map((src) => html`<script type="module" src="${src}"></script>`),
  ];
  return trusted(`<head>\n${lines.map((line) => line.html).join('\n')}\n</head>`);
}
