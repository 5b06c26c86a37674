import { pageAddress, printedBaseUrl, withAddresses, type Guide } from './guides.ts';
import { pageOf, type Subject } from './pages.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { referenceMarkdown } from './reference-markdown.ts';

/** Returns the page with this name below `/docs` as Markdown, with absolute links. */
export function renderMarkdownPage(name: string, subject: Subject): string {
  return withAddresses(markdownOf(name, subject), subject);
}

/** Returns the path of the Markdown of a page. */
export function markdownPath(name: string): string {
  return `/docs${name && '/'}${name}.md`;
}

function markdownOf(name: string, subject: Subject): string {
  if (name === 'reference') return referenceMarkdown(subject.document);
  const guide = subject.guides.find((each) => each.name === name);
  const linkTo = (href: string) => absolute(href, name, subject);
  if (guide) return guideMarkdown(guide, linkTo);
  const { title, body } = pageOf(name, subject);
  return `# ${title}\n\n${htmlToMarkdown(body.html, linkTo)}`;
}

/** Replaces the links of a guide, which lead to files of the repository. */
function guideMarkdown({ text, file }: Guide, linkTo: (href: string) => string): string {
  const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;
  const parts = text.split(/(^```[^]*?^```)/m);
  const replaced = parts.map((part, index) =>
    // The odd parts are blocks of code.
    index % 2 === 1
      ? part
      : part.replaceAll(link, (_all, image: string, label: string, href: string) => {
          const target = pageAddress(href, file);
          return target === undefined ? label : `${image}[${label}](${linkTo(target)})`;
        }),
  );
  return replaced.join('');
}

/** Returns an absolute link, with the printed address. Pages are linked as Markdown. */
function absolute(href: string, name: string, { pages }: Subject): string {
  const url = new URL(href, `${printedBaseUrl}/docs${name && '/'}${name}`);
  const [, page = ''] = /^\/docs(?:\/(.+))?$/.exec(url.pathname) ?? [];
  const isPage = url.origin === printedBaseUrl && /^\/docs(?:\/|$)/.test(url.pathname);
  if (isPage && pages.some((each) => each.name === page)) url.pathname = markdownPath(page);
  return url.href;
}
