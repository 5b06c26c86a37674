import type { Verdict } from '../../domain/verdict.ts';

/** Lines that must all be in a reply. */
export type Lines = readonly [LineTemplate, ...LineTemplate[]];

/** How the replies of a server are recognized. */
export interface WhoisFormat {
  /** The query without its line end; `{name}` by default. */
  readonly query?: string;
  /** A reply about an unregistered name has all lines of one alternative. */
  readonly available: readonly [Lines, ...Lines[]];
  /** A reply about a registered name has all lines of one alternative. One of them has `{name}`. */
  readonly registered: readonly [Lines, ...Lines[]];
  /** Lines that state another verdict, or that there is none. */
  readonly states?: readonly State[];
  /** Lines of refusals that other servers do not send. */
  readonly refusals?: readonly LineTemplate[];
}

export interface State {
  readonly line: LineTemplate;
  readonly verdict: Exclude<Verdict, 'AVAILABLE'> | 'UNKNOWN';
}

/**
 * A line of a reply. `{name}` stands for the queried name, `{variant}` for a name that the reply lists
 * with its variants, `{text}` for any text, ` {text}` for a value that is not blank, and a space for
 * any number of spaces and tabs. Letter case is ignored.
 */
export type LineTemplate = string;

/** A compiled line template. */
export interface LinePattern {
  readonly regExp: RegExp;
  readonly hasName: boolean;
  /** Whether the reply may also have such a line with another name. */
  readonly isVariant: boolean;
}

/** Compiles a template into a pattern for a whole line. Trailing white space is ignored. */
export function compileLine(template: LineTemplate): LinePattern {
  const source = template
    .split(/(\{name\}|\{variant\}|\{text\}| +(?:\{text\})?)/)
    .map((part) => placeholders.get(part.trimStart())?.(part) ?? escapeRegExp(part))
    .join('');
  // With the flag `s`, `.*` at the end matches every line, so that no shorter match is tried.
  const isVariant = template.includes('{variant}');
  return {
    regExp: new RegExp(`^${source}[ \\t]*$`, 'isu'),
    hasName: isVariant || template.includes('{name}'),
    isVariant,
  };
}

const placeholders: ReadonlyMap<string, (part: string) => string> = new Map([
  ['{name}', (_part: string) => '([^\\s"]+?)'],
  ['{variant}', (_part: string) => '([^\\s"]+?)'],
  ['{text}', (part: string) => (part.startsWith(' ') ? '[ \\t]+[^ \\t].*' : '.*')],
  ['', (spaces: string) => (spaces === '' ? '' : '[ \\t]+')],
]);

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}
