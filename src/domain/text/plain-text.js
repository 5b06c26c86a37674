// Removes from a text what is not part of a name: markup, prices, dates and versions. The search page
// loads this file as it is.
// cspell:ignore apos

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

const tldsBehindSpace = new RegExp(
  `(?<=[\\p{L}\\p{N}]) ((?:${bareTlds})(?:[|/](?:${bareTlds}))+)(?![\\p{L}\\p{N}./-])`,
  'giu',
);

/** Returns the names that a pattern such as `fox.{com,io}` means. */
function expanded(pattern) {
  const parts = pattern.split(/[{}[\]()]/).map((part) => part.split(/\s*[,|]\s*/));
  if (!pattern.includes('.') || parts.every(({ length }) => length === 1)) return pattern;

  const all = parts.reduce(
    (names, part) => names.flatMap((name) => part.map((each) => name + each)).slice(0, 100),
    [''],
  );

  return all.join(', ');
}

/** Replaces markup, and addresses that are written so that nobody opens them. */
const replacements = [
  [/<!--[^]{0,500}?-->|<(script|style)\b[^]{0,5000}?<\/\1>/gi, ' '],
  [/\/\*[^]{0,500}?\*\//g, ' '],
  [/<\/?([a-z][a-z\d]*)(?=[\s/>])[^<>]*>/gi, tagText],
  [/\r\n?/g, '\n'],
  [/<a\s([^<>]*)>([^<>]*)<\/a>/gi, (_, attributes, text) => `[${text}](${targetOf(attributes)})`],
  [/\](\([^()\s]*\)) ?(?=\[)/g, ']$1, '],
  [/<\/?a(?:\s[^<>]*)?>/gi, ' '],
  [/&(?:nbsp|lt|gt|quot|apos|#39);|[™®©℠]/gi, ' '],
  [/&(?:period|#46);/gi, '.'],
  [/&amp;/gi, '&'],
  [/(\d)\ufe0f?\u20e3/gu, '$1. '],
  [/^([ \t]*)\p{No}/gmu, '$11. '],
  [/(?!^)[①-⑳❶-❿](?=\s?\p{L})/gu, '\n1. '],
  [/：/g, ': '],
  [/^[ \t]*(?:`{3}|~{3}).*$/gm, ''],
  [/!?\[([^[\]\n]*)\]\(([^()\s]*)(?:[^\S\n][^()\n]*)?\)/g, linkText],
  [/\[:\]|\[:\/\/\]/g, (text) => text.slice(1, -1)],
  [/\s?(?:[[({<]\s?(?:\.|dot)\s?[\])}>]|\[\.|\.\])\s?/gi, '.'],
  [/\s?[[({]\s?(?:@|at)\s?[\])}]\s?/gi, '@'],
  [new RegExp(`[ _]dot[ _](?=(?:${bareTlds})\\b)`, 'gi'), '.'],
  [new RegExp(`^www (\\S{1,63}) (?=(?:${bareTlds})$)`, 'gim'), '$1.'],
  [new RegExp(`(?<=\\.(?:${bareTlds}))(?:[和与或及]|(?=\\p{Script=Han}))`, 'giu'), ', '],
  [/\\([\\`*_{}[\]()#+\-.!|~>])/g, '$1'],
  [/(?:[\p{L}\p{N}.-]{0,63}\{[\p{L}\p{N}.,| -]{1,300}\}){1,3}[\p{L}\p{N}.-]{0,63}/gu, expanded],
  [/(?<![^\s,])[\p{L}\p{N}-]{0,63}\.[[(][\p{L}\p{N}.|, ]{1,300}[\])]/gu, expanded],
  [/(?<![^\s,])[[(][\p{L}\p{N}|, -]{1,300}[\])]\.[\p{L}\p{N}.-]{2,63}/gu, expanded],
  [tldsBehindSpace, (_, tlds) => ` .${tlds.replaceAll(/[|/]/g, ' .')}`],
  [/%20/g, ' '],
  [/(?<=(?:^|[\s(:])(?:\.\p{L}{2,63}\/){0,9}\.\p{L}{2,63})\/(?=\.\p{L})/gmu, ' '],
  [/(?<![\p{L}\p{N}])[‘’‚‛‹›「」『』❝❞]|[‘‚‛‹›「」『』❝❞](?![\p{L}\p{N}])/gu, '"'],
  [/(?<=\.\p{L}{2,63})\\n/gu, '\n'],
];

const glue = /^(?:b|em|i|mark|strong|u|wbr)$/;
const inline =
  /^(?:abbr|code|font|img|input|kbd|label|small|span|sub|sup|svg|table|tbody|thead|time)$/;
const block =
  /^(?:article|aside|body|br|button|caption|d[dlt]|div|footer|form|h\d|head|header|hr|html|li|link|main|meta|nav|ol|option|p|pre|section|select|title|tr|ul)$/;

/** Returns what separates the text before a tag from that behind it; the tag itself if it is none. */
function tagText(tag, element) {
  const name = element.toLowerCase();
  if (name === 'a') return tag;
  if (glue.test(name)) return '';
  if (name === 'td' || name === 'th') return tag[1] === '/' ? '\t' : '';
  if (inline.test(name)) return ' ';
  return block.test(name) || /^<\/|=/.test(tag) ? '\n' : tag;
}

/** Returns the text and the target of a link; only the target within a sentence. */
function linkText(link, text, target, at, whole) {
  const before = whole.slice(Math.max(0, at - 30), at);
  const after = whole.slice(at + link.length, at + link.length + 30);
  const isMentioned =
    /(?<!\b(?:or|and|vs|maybe|either|[a-z]))\s$/i.test(before) && /\p{L}[^\S\n]+$/u.test(before);
  const continues = /^[^\S\n]+(?!(?:or|and|vs)\b)\p{L}/u.test(after);
  const isPage = /\.\p{L}|:\/\//u.test(target);

  return isPage &&
    (isMentioned ||
      continues ||
      /^(?:here|link|(?:our |my |the )?(?:web)?site|home(?:page)?|visit.*|click.*|read more|learn more|more)$/i.test(
        text.trim(),
      ))
    ? ` ${target} `
    : `${text} (${target})`;
}

function targetOf(attributes) {
  return /(?:^|\s)href=["']?([^"'\s]*)/i.exec(attributes)?.[1] ?? '';
}

/** Returns a text without markup, and without what only resembles a name. */
export function plainOf(text) {
  const unmarked = replacements.reduce((each, [pattern, by]) => each.replace(pattern, by), text);
  const normal = normalized(unmarked).replaceAll(
    /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\p{Variation_Selector}]/gu,
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
