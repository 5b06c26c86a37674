// Removes from a text what is not part of a name: markup, prices, dates and versions. The search page
// loads this file as it is.

/** TLDs that are read as such without a dot in front of them: `bluefox com`, `bluefox,com`. */
export const bareTlds =
  'com|net|org|io|co|ai|app|dev|me|info|xyz|shop|online|de|uk|eu|us|fr|nl|ch|biz';

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const currency = '(?:[$€£¥₹]|(?:usd|eur|gbp|chf|dollars?|euros?)\\b)';
// Without a limit, each number of a long list would be read to its end.
const amount = '\\d[\\d.,]{0,20}';
/** What has digits and separators, but is no name: dates, times, prices, ratings and versions. */
const notNames = [
  '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}(?:t[\\d:.]+z?)?',
  '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}',
  `(?:\\d{1,2}\\.? )?${month} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?`,
  `\\d{1,2}\\.? ${month},? \\d{4}`,
  '\\d{1,2}:\\d{2}(?::\\d{2})?(?: ?[ap]m)?',
  `(?:us)?${currency} ?${amount}[km]?(?: ?(?:/|per|a) ?(?:yr|year|mo|month))?`,
  `${amount} ?${currency}(?: ?(?:/|per|a) ?(?:yr|year|mo|month))?`,
  `${amount} ?%`,
  '\\d{1,3} ?/ ?(?:5|10|100)',
  'v?\\d+\\.\\d+(?:\\.\\d+)?(?:[-.]?(?:alpha|beta|rc|dev|final|post)\\.?\\d*)?',
];

/** Replaces markup, and addresses that are written so that nobody opens them. */
const replacements = [
  [/\r\n?|<\/?(?:br|div|h\d|li|ol|p|tr|ul)(?:\s[^<>]*)?\/?>/gi, '\n'],
  [/<a\s([^<>]*)>([^<>]*)<\/a>/gi, (_, attributes, text) => `[${text}](${targetOf(attributes)})`],
  [/\](\([^()\s]*\)) ?(?=\[)/g, ']$1, '],
  [/<\/?(?:a|b|code|em|i|span|strong|table|tbody|td|th|thead|u)(?:\s[^<>]*)?>/gi, ' '],
  [/&nbsp;/gi, ' '],
  [/&amp;/gi, '&'],
  [/(\d)\ufe0f?\u20e3/gu, '$1. '],
  [/^([ \t]*)\p{No}/gmu, '$11. '],
  [/^[ \t]*(?:`{3}|~{3}).*$/gm, ''],
  [/!?\[([^[\]\n]*)\]\(([^()\s]*)(?:[^\S\n][^()\n]*)?\)/g, '$1 ($2)'],
  [/\[:\]|\[:\/\/\]/g, (text) => text.slice(1, -1)],
  [/\s?(?:[[({<]\s?(?:\.|dot)\s?[\])}>]|\[\.|\.\])\s?/gi, '.'],
  [/\s?[[({]\s?(?:@|at)\s?[\])}]\s?/gi, '@'],
  [new RegExp(` dot (?=(?:${bareTlds})\\b)`, 'gi'), '.'],
  [/\\([\\`*_{}[\]()#+\-.!|~>])/g, '$1'],
  [/%20/g, ' '],
];

function targetOf(attributes) {
  return /(?:^|\s)href=["']?([^"'\s]*)/i.exec(attributes)?.[1] ?? '';
}

/** Returns a text without markup, and without what only resembles a name. */
export function plainOf(text) {
  const unmarked = replacements.reduce((each, [pattern, by]) => each.replace(pattern, by), text);
  const normal = normalized(unmarked).replaceAll(
    /[\u00ad\u200b\u2060\ufeff\p{Variation_Selector}]/gu,
    '',
  );
  return normal.replace(noise, ' ').replace(/^\s*[[({]([^[\](){}]*)[\])}]\s*$/, '$1');
}

/** Some characters are written out as 18, which would make a long text too long to read at once. */
function normalized(text) {
  const normal = text.normalize('NFKC');
  return normal.length > text.length + 1000 ? text : normal;
}

const noise = new RegExp(
  `(?<![\\p{L}\\p{N}\\p{M}./@_-])(?:${notNames.join('|')})(?![\\p{L}\\p{N}\\p{M}@_-]|[./:][\\p{L}\\p{N}])`,
  'giu',
);
