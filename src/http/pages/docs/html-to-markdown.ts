/** Converts the links of a page. */
type LinkTo = (href: string) => string;

/** An open element and the Markdown of its content so far. */
interface Frame {
  readonly tag: string;
  readonly attributes: string;
  content: string;
}

/** Elements without content. */
const voidTags = new Set(['br', 'hr', 'input']);
/** The controls of tabs, which have no meaning in a text. */
const hiddenTags = new Set(['button', 'label', 'legend']);

/**
 * Converts HTML that the functions in `html.ts` and `code-block.ts` rendered. Of other HTML, it may
 * lose parts.
 */
export function htmlToMarkdown(rendered: string, linkTo: LinkTo): string {
  const root: Frame = { tag: '', attributes: '', content: '' };
  const open: Frame[] = [root];
  const current = () => open.at(-1) ?? root;
  for (const [token, slash, tag = '', attributes = ''] of rendered.matchAll(
    /<(\/?)(\w+)([^>]*)>|[^<]+/g,
  )) {
    if (tag === '') {
      const isCode = open.some((frame) => frame.tag === 'pre');
      current().content += isCode ? decoded(token) : decoded(token).replaceAll(/\s+/g, ' ');
    } else if (slash === '') {
      if (!voidTags.has(tag)) open.push({ tag, attributes, content: '' });
    } else {
      const closed = open.pop() ?? root;
      current().content += markdownOf(closed, open, linkTo);
    }
  }
  return `${tidied(root.content)}\n`;
}

/** Removes superfluous spaces and empty lines, except in blocks of code. */
function tidied(markdown: string): string {
  const parts = markdown.split(/(^```[^]*?^```)/m);
  return parts
    .map((part, index) =>
      // The odd parts are blocks of code.
      index % 2 === 1 ? part : part.replaceAll(/ *\n */g, '\n').replaceAll(/\n{3,}/g, '\n\n'),
    )
    .join('')
    .trim();
}

function markdownOf({ tag, attributes, content }: Frame, open: readonly Frame[], linkTo: LinkTo) {
  const text = content.trim();
  const isIn = (parent: string) => open.some((frame) => frame.tag === parent);
  if (hiddenTags.has(tag)) return '';
  switch (tag) {
    case 'h2':
      return `\n\n## ${text}\n\n`;
    case 'p':
      return `\n\n${text}\n\n`;
    case 'strong':
      return `**${text}**`;
    case 'code':
      return isIn('pre') ? content : `\`${text}\``;
    case 'pre':
      return `\n\n${tabTitle(attributes, isIn('fieldset'))}\`\`\`\n${text}\n\`\`\`\n\n`;
    case 'a':
      return linkOf(text, attributes, linkTo);
    case 'li':
      return `\n- ${text}`;
    case 'ul':
    case 'table':
      return `\n\n${text}\n\n`;
    case 'th':
    case 'td':
      return `| ${text.replaceAll('|', String.raw`\|`)} `;
    case 'tr':
      return `\n${text.replaceAll(/ {2,}/g, ' ')} |${isIn('thead') ? `\n${'| --- '.repeat(content.split('| ').length - 1)}|` : ''}`;
    default:
      return content;
  }
}

/** Returns the title of a block of code among several variants of the same example. */
function tabTitle(attributes: string, isVariant: boolean): string {
  const [, title] = /aria-label="[^"]*: ([^"]+)"/.exec(attributes) ?? [];
  return isVariant && title !== undefined ? `${decoded(title)}:\n\n` : '';
}

function linkOf(text: string, attributes: string, linkTo: LinkTo): string {
  const [, href = ''] = /href="([^"]*)"/.exec(attributes) ?? [];
  // A heading links to itself.
  return href === '' || href.startsWith('#') ? text : `[${text}](${linkTo(decoded(href))})`;
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&');
}
