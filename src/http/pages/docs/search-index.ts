import type { Guide } from './guides.ts';
import type { Html } from './html.ts';

/** A rendered page. */
interface Page extends Guide {
  readonly body: Html;
}

/** A section of a page that can be found. */
interface SearchEntry {
  /** Below `/docs`, with the anchor of the section. */
  readonly path: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Returns the sections of all pages as JSON, for the search in `search.js`. */
export function searchIndex(pages: readonly Page[]): string {
  return JSON.stringify(pages.flatMap(entriesOf));
}

function entriesOf({ name, title, body }: Page): readonly SearchEntry[] {
  const parts = body.html.split(/(?=<h[23] id=")/);
  return parts.map((part) => {
    const [, id] = /^<h[23] id="([^"]+)"/.exec(part) ?? [];
    const [all = '', heading = ''] = /<h[23][^>]*>(.*?)<\/h[23]>/s.exec(part) ?? [];
    return {
      path: `${name && '/'}${name}${id === undefined ? '' : `#${id}`}`,
      page: title,
      heading: textOf(heading),
      text: textOf(part.replace(all, '')),
    };
  });
}

/** Returns the text of HTML that this gateway rendered. */
function textOf(rendered: string): string {
  return rendered
    .replaceAll(/<legend>.*?<\/legend>|<label[^>]*>.*?<\/label>/gs, ' ')
    .replaceAll(/<\/?(?:code|span|a|strong|em)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
