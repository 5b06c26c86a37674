import { renderHead } from '../head.ts';
import { siteHeader } from '../site.ts';
import { html, trusted, type Html } from './html.ts';
import { renderNavigation, renderNeighbors } from './navigation.ts';
import type { Layout, Page, SectionLink } from './page.ts';

/** Renders a whole page. Links are relative, so that they work behind a proxy that serves the gateway below a path. */
export function renderLayout(page: Page, layout: Layout): string {
  const { name, title, description, body, sections = [] } = page;
  const root = name === '' ? './' : '../';
  const path = (file: string) => `${root}${file.slice(1)}`;
  const { icon, styles, modules } = layout.files;
  const head = renderHead({
    title,
    description,
    markdown: path(`/docs${name && '/'}${name}.md`),
    icon: path(icon),
    styles: styles.map(path),
    modules: modules.map(path),
  });
  const links = { root, iconPath: icon, hasGraphiql: layout.graphiql };
  return html`<!doctype html>
    <html lang="en">
      ${head}
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${trusted(siteHeader('docs', links))}
        <div class="docs">
          <div class="docs-bar">
            <button type="button" popovertarget="docs-nav">Menu</button>
            <button type="button" class="open-search" hidden>Search docs <kbd>/</kbd></button>
          </div>
          <nav id="docs-nav" aria-label="Documentation" popover>
            ${renderNavigation(name, root, layout)}
          </nav>
          <main id="content">
            <h1>${title}</h1>
            ${renderContents(sections)}
            <article>${body}</article>
            ${renderNeighbors(name, root, layout)}
          </main>
        </div>
      </body>
    </html> `.html;
}

/** Renders the table of contents of a page, which is closed on narrow screens. */
function renderContents(sections: readonly SectionLink[]): Html {
  if (sections.length === 0) return html``;
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<details class="contents">
    <summary>On this page</summary>
    <nav aria-label="On this page">
      <ul>
        ${links}
      </ul>
    </nav>
  </details>`;
}
