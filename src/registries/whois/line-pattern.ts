/**
 * A line of a reply. `{name}` stands for the queried name, `{text}` for any text, ` {text}` for a
 * value that is not blank, and a space for any number of spaces and tabs. Letter case is ignored.
 */
export type LineTemplate = string;

/** A compiled line template. */
export interface LinePattern {
  readonly regExp: RegExp;
  readonly hasName: boolean;
}

/** Compiles a template into a pattern for a whole line. Trailing white space is ignored. */
export function compileLine(template: LineTemplate): LinePattern {
  const source = template
    .split(/(\{name\}|\{text\}| +(?:\{text\})?)/)
    .map((part) => placeholders.get(part.trimStart())?.(part) ?? escapeRegExp(part))
    .join('');
  // With the flag `s`, `.*` at the end matches every line, so that no shorter match is tried.
  return { regExp: new RegExp(`^${source}[ \\t]*$`, 'isu'), hasName: template.includes('{name}') };
}

const placeholders: ReadonlyMap<string, (part: string) => string> = new Map([
  ['{name}', (_part: string) => '([^\\s"]+?)'],
  ['{text}', (part: string) => (part.startsWith(' ') ? '[ \\t]+[^ \\t].*' : '.*')],
  ['', (spaces: string) => (spaces === '' ? '' : '[ \\t]+')],
]);

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}
