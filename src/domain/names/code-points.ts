/**
 * Returns the characters of a U-label that IDNA 2008 does not allow at their place (RFC 5892), each
 * once. Joiners (appendix A.1 and A.2) are left to UTS #46, which checks them, too.
 */
export function disallowedCharacters(label: string): readonly string[] {
  const characters = Array.from(label);
  return Array.from(
    new Set(characters.filter((character, at) => !isAllowed(character, { characters, at, label }))),
  );
}

/** Returns whether a character is an emoji or part of one, such as a skin tone. */
export function isEmoji(character: string): boolean {
  return /^(?!\p{ASCII})[\p{Emoji}\p{Emoji_Component}]$/u.test(character);
}

/** The place of a character. */
interface Place {
  readonly characters: readonly string[];
  readonly at: number;
  readonly label: string;
}

/** Returns whether a character is PVALID, or CONTEXTJ or CONTEXTO at its place. */
function isAllowed(character: string, place: Place): boolean {
  const rule = contextRules.get(character);
  if (rule) return rule(place);
  return permitted.test(character) || (letters.test(character) && !excluded.test(character));
}

// The hyphen, the joiners, and the exceptions that are PVALID (RFC 5892 section 2.6).
const permitted = /^[-\p{Join_Control}\u{df}\u{3c2}\u{6fd}\u{6fe}\u{f0b}\u{3007}]$/u;
// LetterDigits (section 2.1). Unassigned code points have none of these categories.
const letters = /^[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]$/u;
// Unstable and IgnorableProperties (sections 2.2 and 2.3), the exceptions that are DISALLOWED
// (2.6), IgnorableBlocks (2.4: marks for symbols, musical notation) and OldHangulJamo (2.9).
const excluded =
  /[\p{Changes_When_NFKC_Casefolded}\u{20d0}-\u{20ff}\u{302e}\u{302f}\p{Default_Ignorable_Code_Point}\u{640}\u{7fa}\u{3031}-\u{3035}\u{303b}\u{1d100}-\u{1d24f}\u{1100}-\u{11ff}\u{a960}-\u{a97f}\u{d7b0}-\u{d7ff}]/u;

type ContextRule = (place: Place) => boolean;

const isNear =
  (pattern: RegExp, offset: number): ContextRule =>
  ({ characters, at }) =>
    pattern.test(characters[at + offset] ?? '');
const isBetweenL: ContextRule = (place) => isNear(/^l$/, -1)(place) && isNear(/^l$/, 1)(place);
const hasNo =
  (pattern: RegExp): ContextRule =>
  ({ label }) =>
    !pattern.test(label);

/** The rules of the CONTEXTO characters (RFC 5892 appendix A.3 to A.9). */
const contextRules: ReadonlyMap<string, ContextRule> = new Map([
  ['\u00b7', isBetweenL], // middle dot, as in Catalan
  ['\u0375', isNear(/^\p{Script=Greek}$/u, 1)], // Greek numeral sign
  ['\u05f3', isNear(/^\p{Script=Hebrew}$/u, -1)], // geresh
  ['\u05f4', isNear(/^\p{Script=Hebrew}$/u, -1)], // gershayim
  [
    '\u30fb', // Katakana middle dot
    ({ label }) => /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(label),
  ],
  ...digitsFrom(0x660, hasNo(/[\u06f0-\u06f9]/)), // Arabic-Indic
  ...digitsFrom(0x6f0, hasNo(/[\u0660-\u0669]/)), // extended Arabic-Indic
]);

/** Returns the rule for the ten digits from a code point on. */
function digitsFrom(
  codePoint: number,
  rule: ContextRule,
): readonly (readonly [string, ContextRule])[] {
  return Array.from({ length: 10 }, (_, digit) => [String.fromCodePoint(codePoint + digit), rule]);
}
