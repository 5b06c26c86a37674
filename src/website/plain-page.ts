import { pageAsset, pageHeaders } from './assets.ts';
import { html, type Html } from './docs/html.ts';
import { renderHead, siteHeader } from './site.ts';

interface PlainPage {
  readonly title: string;
  readonly description: string;
  /** Path from the page to `/`, such as `./` or `../`. */
  readonly root: string;
  /** Whether browsers get GraphiQL. */
  readonly hasGraphiql: boolean;
  /** Paths of style sheets besides those of the guides. */
  readonly styles?: readonly string[];
  readonly lead: string | Html;
  /** What follows the title and the lead. */
  readonly content: Html;
}

const icon = pageAsset('icon.svg').path;
const sharedStyles = [pageAsset('site.css').path, pageAsset('docs/client/docs.css').path];

/** Renders a page with one column and without scripts. */
export function renderPlainPage(page: PlainPage): string {
  const { title, description, root, hasGraphiql, styles = [], lead, content } = page;
  const head = renderHead({
    title,
    description,
    icon: root + icon.slice(1),
    styles: [...sharedStyles, ...styles].map((path) => root + path.slice(1)),
  });

  return html`<!doctype html>
    <html lang="en">
      ${head}
      <body>
        ${siteHeader(undefined, { root, iconPath: icon, hasGraphiql })}
        <main class="plain-page">
          <h1>${title}</h1>
          <p class="lead">${lead}</p>
          ${content}
        </main>
      </body>
    </html>`.html;
}

/** The headers of such a page, which caches do not keep. */
export const plainPageHeaders = pageHeaders(
  ["default-src 'none'", "style-src 'self'", "img-src 'self'"],
  'no-store',
);
