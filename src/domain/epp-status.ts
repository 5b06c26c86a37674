/** EPP statuses that RFC 8056 section 2 maps to a different word. */
const eppExceptions = new Map([
  ['ok', 'active'],
  ['linked', 'associated'],
]);

/**
 * Returns the RFC 8056 value of a status: `clientHold`, `[CLIENT HOLD]`, `clientHold (URL)` and
 * `https://icann.org/epp#clientHold` → `client hold`.
 */
export function normalizeStatus(status: string): string {
  const words = normalizedPattern.test(status) ? status : toLowerCaseWords(status);
  return eppExceptions.get(words) ?? words;
}

/** Matches the form that most servers send, which needs no change. */
const normalizedPattern = /^[a-z]+(?: [a-z]+)*$/;

function toLowerCaseWords(status: string): string {
  return (status.length > maxDecoratedLength ? status : withoutDecoration(status))
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[\s_-]+/g, ' ')
    .toLowerCase();
}

/** A status with its URL has 60 characters; the time to read a text grows with its square. */
const maxDecoratedLength = 200;

const finalPunctuation = /(?<![\s.,:;"'])[\s.,:;"']+$/;
const closingPunctuation = /(?<![\s.,:;"')\]>}])[\s.,:;"')\]>}]+$/;

/** Removes brackets, punctuation, and the URL of an EPP status. A URL alone is the status it names. */
function withoutDecoration(status: string): string {
  const text = status.replace(/^[\s"'([<{]+/, '');
  const end = text.length < status.length ? closingPunctuation : finalPunctuation;
  return text
    .replace(/^\S*\bicann\.org\/\S*#(?=\w)/i, '')
    .replace(/(?<=[\p{L}\p{N}])[\s([<{:-]*\b(?:https?:|(?:www\.)?icann\.org\/).*$/iu, '')
    .replace(end, '');
}
