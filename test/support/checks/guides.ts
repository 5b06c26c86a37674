import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked, type Tokens } from 'marked';
import { projectFolder } from '../package/run.ts';

/** A Markdown file for readers, by its path in the project. */
export interface Guide {
  readonly path: string;
  readonly text: string;
}

export interface CodeBlock {
  /** The heading above it. */
  readonly heading: string;
  readonly language: string;
  /** The title of its tab, after the language; empty for most blocks. */
  readonly title: string;
  readonly code: string;
}

const paths = [
  'README.md',
  'CHANGELOG.md',
  ...globSync('docs/{,reference/}*.md', { cwd: projectFolder }),
];

/** README, changelog and all guides. */
export const guides: readonly Guide[] = paths.map((path) => ({
  path,
  text: readFileSync(join(projectFolder, path), 'utf8'),
}));

/** Returns a guide or a reference. */
export function guideText(name: string): string {
  const candidates = [`docs/${name}.md`, `docs/reference/${name}.md`];
  const guide = guides.find(({ path }) => candidates.includes(path));
  if (!guide) throw new Error(`There is no guide ${name}.`);
  return guide.text;
}

/** Returns the code blocks of a Markdown file, in order. */
export function codeBlocksIn(text: string): readonly CodeBlock[] {
  let heading = '';
  return marked.lexer(text).flatMap((token) => {
    if (token.type === 'heading') heading = (token as Tokens.Heading).text;
    if (token.type !== 'code') return [];
    const { lang = '', text: code } = token as Tokens.Code;
    const [language = '', ...title] = lang.split(' ');
    return [{ heading, language, title: title.join(' '), code }];
  });
}

/** Returns the targets of the links and images of a Markdown file. */
export function linksIn(text: string): readonly string[] {
  const links: string[] = [];
  void marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === 'link' || token.type === 'image') links.push(token['href']);
  });
  return links;
}

/** Returns the anchors that GitHub gives the headings of a Markdown file. */
export function anchorsIn(text: string): readonly string[] {
  const headings = marked.lexer(text).filter((token) => token.type === 'heading');
  const anchors = headings.map((token) =>
    (token as Tokens.Heading).text
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  );
  return anchors.map((anchor, index) => {
    const before = anchors.slice(0, index).filter((other) => other === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}
