/**
 * Replaces characters that could change the text around them: control characters, and those that
 * set the direction of text.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '\ufffd');
}
