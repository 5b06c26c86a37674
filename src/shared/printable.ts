/**
 * Replaces characters that could change the text around them: control characters, and those that
 * set the direction of text.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, '\ufffd');
}

/** Replaces the same characters, except for line breaks. */
export function printableLines(text: string): string {
  return text.replaceAll(/[^\r\n]+|\r(?!\n)/g, printable);
}

const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns a value as JSON in which such characters are escaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(unprintable, (character) =>
    character === '\n' ? '\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Returns a text in quotes as part of a message: shortened to `maxLength`, and with `U+200C` in place
 * of a character that cannot be seen.
 */
export function quoted(text: string, maxLength = 80): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return JSON.stringify(shown).replaceAll(invisible, codePointOf);
}

/** Returns a character in quotes with its code point: `"’" (U+2019)`, or `U+200C` if it cannot be seen. */
export function quotedCharacter(character: string): string {
  const codePoint = codePointOf(character);
  return character.replaceAll(invisible, '') === ''
    ? codePoint
    : `${JSON.stringify(character)} (${codePoint})`;
}

// The space is the only visible separator of its kind.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
