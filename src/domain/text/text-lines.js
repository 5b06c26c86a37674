// Separates the markers of lists from the lines of a text. The search page loads this file as it is.
import { programs } from './not-names.js';
import { isTld } from './text-names.js';

const bullet =
  /^(?:[-*+>~=–—―][ \t]+|[•‣⁃◦▪▫●○■□◆◇►▸➤➔➜→»›✓✔✗✘∙·]\s*|(?:(?!\p{ASCII})[\p{Emoji}\p{So}\u200d])+\s+|\[[ x✓✔]?\]\s*)/iu;
const number =
  /^(?:(?:[([]?\d{1,3}[.)\]:]+|\d{1,3}[ \t]+[-–—]|#\d{1,3}[.:)]?|\(?(?:[a-z]|[ivx]{2,5})[.):])\s+|\d{1,3}\)|(?:option|idea|name|no|choice|suggestion|variant)\.?\s*#?(?:\d{1,3}|[a-z])\s*(?:[:)]|\.(?!\S)|[-–—](?=\s)))\s*/i;
const question =
  /^(?:is|are) (\S+(?: \S+){0,2}) (?:still )?(?:available|taken|free|registered)\?*$/i;
const key =
  /^(?:(?:[\w’']+ ){0,3}(?:domains?|names?|ideas?|options?|picks?|suggestions?|alternatives?|favorites?)|answer|brand|website|site|url|web|host|name server|e-?mail|contacts?|from|to|b?cc|reply-to|(?:pro )?tip|note|hint|bonus|(?:export |set )?[a-z]\w{0,40}_\w{0,40}(?==))\s*[:=]\s*(?=\S)/i;
const glued = /^(?:\d{1,3}(?:\.|\s+)|[-+])(?=[^\d\s.])/;

/**
 * Marks lines that all start with a number or a hyphen, which alone would be part of a name. Lines
 * such as `360.com` are names.
 */
export function withMarkers(lines) {
  const areGlued = lines.length > 1 && lines.every((line) => isGlued(line.trim()));
  return areGlued ? lines.map((line) => line.trim().replace(glued, '- ')) : lines;
}

function isGlued(line) {
  return glued.test(line) && !isTld(line.replace(glued, ''));
}

/** Before one name. */
const maxMarkers = 8;

/** Returns a line without its marker: the kind and the indentation of the marker, and its text. */
export function lineOf(line) {
  const indent = line.replaceAll('\t', '    ').search(/\S/);
  let text = line.trim().replace(question, '$1');
  const tags = text.split(/\s+/);

  if (tags.length > 1 && tags.every((tag) => /^[#@][^#@.]+$/.test(tag)))
    text = tags.map((tag) => tag.slice(1)).join(', ');
  let kind;
  let isHeading = false;

  // A single number sign starts a comment, as in files of settings; in code, slashes or a semicolon do.
  if (/^(?:#(?![#\d])|\/\/\s|;)/.test(text)) text = '';
  for (let before, count = 0; text !== before && count < maxMarkers; count++) {
    before = text;
    text = text.replace(/^#{2,6}\s+/, () => ((isHeading = true), ''));
    text = text.replace(bullet, () => ((kind ??= 'bullet'), ''));
    text = text.replace(/^(?:\*\*|__|`)/, () => ((kind ??= isHeading ? kind : 'bold'), ''));
    text = text.replace(number, () => ((kind = 'number'), ''));
  }

  text = text
    .replace(symbols, (symbol) => (symbol === text ? text : ' '))
    .replaceAll(/[*`“”„"«»]+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(key, '')
    .trim();

  const isTitle =
    text.endsWith(':') || (isHeading && kind === undefined) || /^(?:pros|cons)$/i.test(text);
  const isComment = commentTitle.test(isTitle ? `${text}:` : text) || isCommand(text);

  return { kind, indent, text: text.replace(/:$/, ''), isTitle, isComment };
}

const command = new RegExp(`^(?:sudo |> )?(?:${programs}|cargo|diff|docker|git)\\s`);

/** Whether a line is a command of a shell, in which only full names count. */
const isCommand = (text) =>
  /^[$%]\s+\w/.test(text) || (command.test(text) && /\s[-+]{1,2}[a-z]/i.test(text));

/** Before what is said about names. */
const commentTitle =
  /^(?:(?:the |some |key |my |a )?(?:pros?|cons?|(?:dis)?advantages?|strengths?|weakness(?:es)?|benefits?|drawbacks?|downsides?|upsides?|summary|conclusion|recommendations?|verdict|total|count|score|rating|price|cost|remarks?|reasons?|reasoning|why(?: it works| they work)?|meaning|rationale|descriptions?|explanation|tagline|slogan|vibe|tone|style|feel|status|error|warning|info|debug|fatal|fix|feat|chore|docs|refactor|sent|subject|received|examples?|usage|best for|use case|source|date|category|theme|(?:target )?audience|keywords?|requirements?|criteria|feedback|questions?|next steps?|tl;?dr|fyi|p\.?s\.?|risks?|trademark|pronunciation|length|syllables|etymology|origin)|notes?)(?: [&+/] [a-z]+| and [a-z]+)?\s*(?::|\s[-–—=]\s)/i;

const repeatable = /^\p{L}[\p{L} ]{1,20}(?=:\s)/u;

/**
 * Marks the lines of a text that are comments: those in sections such as `Pros:`, and those behind a
 * title that several lines have, such as `Vibe: warm`. `gaps` are the lines after an empty one.
 */
export function withComments(lines, gaps) {
  const titles = lines.map(({ text }) => repeatable.exec(text)?.[0]);
  const counts = Map.groupBy(titles, (title) => title);
  if (counts.size === 1 && titles[0] !== undefined && lines.length > 1)
    return lines.map((line) => ({ ...line, text: line.text.slice(titles[0].length + 1).trim() }));

  let section;
  return lines.map((line, at) => {
    const kind = line.kind ?? 'text';
    const isFirst = section !== undefined && section.kind === undefined;
    if (isFirst) section.kind = kind;

    const ends = line.isTitle || kind !== section?.kind || line.indent < section.indent;
    if (ends || (gaps.has(at) && !isFirst)) section = undefined;
    const isRepeated = titles[at] !== undefined && counts.get(titles[at]).length > 1;
    const isComment = line.isComment || isRepeated || section !== undefined;
    if (line.isComment && line.isTitle) section = { indent: line.indent };

    return { ...line, isComment };
  });
}

/** Returns the kind and the indentation of the markers that a list has, if it has two of them. */
export function levelOf(lines) {
  for (const kind of ['number', 'bullet', 'bold']) {
    const marked = lines.filter((line) => line.kind === kind && line.text !== '');
    const items = marked.filter(({ isTitle }) => !isTitle);
    if (marked.length > 1 && items.length > 0)
      return {
        kind,
        indent: items.reduce((least, { indent }) => Math.min(least, indent), Infinity),
      };
  }
  return undefined;
}

/** Words of symbols and emoji only. */
const symbols = /(?<=^|\s)(?:(?!\p{ASCII})[\p{Emoji}\p{So}\u200d])+(?=\s|$)/gu;
