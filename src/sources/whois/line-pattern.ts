import { isSameName, type DomainName } from '../../domain/domain-name.ts';

/**
 * A line of a reply. `{name}` stands for the queried name, `{text}` for any text, and a space for
 * any number of spaces and tabs. Letter case is ignored.
 */
export type LineTemplate = string;

/** A compiled line template. */
export interface LinePattern {
  readonly regExp: RegExp;
  readonly hasName: boolean;
}

/** Longer lines are not compared. */
const maxLineLength = 1000;

/** Splits a reply into its lines. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line.length <= maxLineLength);
}

/** Compiles a template into a pattern for a whole line. Trailing white space is ignored. */
export function compileLine(template: LineTemplate): LinePattern {
  const source = template
    .split(/(\{name\}|\{text\}| +)/)
    .map((part) => placeholders[part] ?? (part.startsWith(' ') ? '[ \\t]+' : escapeRegExp(part)))
    .join('');
  return { regExp: new RegExp(`^${source}[ \\t]*$`, 'iu'), hasName: template.includes('{name}') };
}

const placeholders: Readonly<Record<string, string>> = { '{name}': '([^\\s"]+?)', '{text}': '.*' };

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}

/**
 * Returns whether a line of the reply matches. A pattern with a name matches only if all names that
 * it finds are the queried one.
 */
export function matchesLine(
  lines: readonly string[],
  pattern: LinePattern,
  name: DomainName,
): boolean {
  if (!pattern.hasName) return lines.some((line) => pattern.regExp.test(line));
  const names = namesIn(lines, pattern);
  return names.length > 0 && names.every((found) => isSameName(found, name));
}

/** Returns whether a line matches with another name than the queried one. */
export function hasOtherName(
  lines: readonly string[],
  pattern: LinePattern,
  name: DomainName,
): boolean {
  return namesIn(lines, pattern).some((found) => !isSameName(found, name));
}

function namesIn(lines: readonly string[], { regExp }: LinePattern): readonly string[] {
  return lines.flatMap((line) => regExp.exec(line)?.[1] ?? []);
}
