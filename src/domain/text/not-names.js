// Recognizes what only resembles a name: files, hash sums, IDs and source code. The search page loads
// this file as it is.
// cspell:ignore conftest AKIA nslookup traceroute

/** Extensions of files that are no TLDs. */
const extensions =
  '[cm]?[jt]sx?|vue|svelte|s?html?|[sl]?[ac]ss|less|jsonl?|json5|ndjson|xml|xsd|ya?ml|toml|ini|conf|cfg|env|lock|log|te?xt|csv|tsv|pdf|png|jpe?g|gif|svg|webp|ico|bmp|tiff?|heic|psd|docx?|xlsx?|pptx?|od[tsp]|rtf|epub|php|exe|dll|bat|cmd|ps1|jar|war|apk|dmg|iso|msi|deb|rpm|tar|t?gz|bz2|xz|7z|rar|mp[34]|avi|mkv|wav|flac|woff2?|ttf|otf|java|kts?|swift|dart|lua|rb|erb|cpp|hpp|cs|vb|go|sql|db|sqlite3?|bak|tmp|pem|crt|key|csr|eml|ics|vcf|ipynb|proto|graphql|gradle|wasm|rst|tex|patch|diff';
const file = new RegExp(`\\.(?:${extensions})$`, 'i');
const buildFile = /^(?:Make|Docker|Gem|Proc|Jenkins)file$/;
/** Files with an extension that is a TLD, too, such as those of Rust, Markdown, Python and shells. */
const sharedExtension = /\.(?:rs|md|py|sh|zip|mov|map)$/i;
const usualStem =
  /^(?:readme|changelog|license|contributing|authors|notes?|todo|docs?|guide|index|main|lib|mods?|build|setup|install|configs?|settings|tests?|utils?|helpers?|types|models?|views|urls|app|api|cli|server|client|run|start|deploy|scripts?|manage|conftest|__\w+__|archive|backup|photos|images|files|data|export|release|src|dist|video|movie|clip|trailer|recording|demo)[-_\d]*\.\w+$/i;
const path =
  /^(?:\.{1,2}[\\/]|~\/|[a-z]:\\|\/\w[\w-]*\/.|(?:src|dist|lib|bin|build|docs?|tests?|node_modules)\/$)/i;

/** Programs of a shell whose names are no words, in front of the names that they are given. */
export const programs =
  'curl|dig|node|npm|npx|nslookup|openssl|ping|pip3?|python3?|scp|ssh|traceroute|wget|whois';

/** Returns whether a word is a file, which has no other reading. */
export function isFile(word) {
  return (file.test(word) || buildFile.test(word)) && !/[/\\@]/.test(word);
}

/** Returns whether a word is a file that may be a name, too; among `files`, such as in code, more are. */
export function mayBeFile(word, isAmongFiles = false) {
  return sharedExtension.test(word) && !/[/@]/.test(word) && (isAmongFiles || usualStem.test(word));
}

/** Returns whether a word is a path of files, such as `src/main.rs` and `./build.sh`. */
export function isPath(word) {
  const [front, ...rest] = word.split(/[\\/]/);
  const last = rest.at(-1) ?? '';
  const isBelow = !/[.:]/.test(front) && !word.startsWith('//');
  return path.test(word) || (isBelow && (file.test(last) || sharedExtension.test(last)));
}

/** Returns whether a word without a dot is a hash sum, a UUID, a key of an API or another ID. */
export function isCode(word) {
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(word)) return true; // a JSON Web Token
  if (/[.@]|:\//.test(word) || word.length < 16) return false;

  // Without a digit, such as in `sk-skate-shop`, it is a name.
  if (/^(?:(?:sk|pk|rk)[-_]|gh[a-z]_|github_pat_|xox[a-z]-|AKIA|sha\d+[:-]|md5[:-]).*\d/.test(word))
    return true;
  if (/^(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?=\D*\d)(?:0x)?[\da-f]+)$/i.test(word))
    return true;
  if (word.length % 4 === 0 && /^[\w+/-]+={1,2}$/.test(word)) return true;

  const numbers = word.match(/\d+/g)?.length ?? 0;
  const isMixed = /\p{Ll}/u.test(word) && /\p{Lu}/u.test(word);
  const isLong = /^[\w+/=-]{20,}$/.test(word) && !/\w-\w+-\w/.test(word);

  return isLong && numbers > (isMixed ? 2 : 3) && !areWords(word);
}

/** Whether the letters between digits are words, such as in `24hour7days365year1team`. */
function areWords(word) {
  const parts = word.split(/[^a-z]+/i).filter(Boolean);
  return parts.every((part) => /^[A-Z]?[a-z]{2,}$/.test(part) && /[aeiouy]/i.test(part));
}

/** Returns the names that are more likely files: those among files or code, and usual ones in prose. */
export function filesIn(items, typed) {
  const areAmongFiles = typed.split(/[\s,;()"'`]+/).some(isEvidence);
  return items.flatMap(({ names, isProse, isCode: isInCode }) =>
    names.filter(({ entry, isAmongWords }) => {
      const isAmong = areAmongFiles || isInCode;
      const isMentioned = isProse || isAmongWords || /^[A-Z_]{3,}\.[a-z]/.test(entry);
      return (isAmong || isMentioned) && mayBeFile(entry, isAmong);
    }),
  );
}

const product = /^\p{Lu}\w*\.js$/u;
const isEvidence = (word) => isCode(word) || isPath(word) || (isFile(word) && !product.test(word));

const declaration =
  /^(?:(?:export|public|private|protected|static|async|pub|default)\s+){0,4}(?:const|var|def|fn|func|function|elif|foreach|struct|enum|interface|namespace|#include|use strict)(?![\w.-])/;
const keyword =
  /^(?:let|import|from|package|module|using|use|require|include|class|type|return|if|else|for|while|do|switch|case|try|catch|except|throw|raise|with|await|yield|print|echo|new|export|public|private|protected|static|pub|select|insert|update|delete|create)(?![\w.-])/i;
const statements = [
  /\{$|\w\([^()]*\)+;$|\w\([^()]*\)\s*=>|[;)]\s*\}$|\w\(\s*(?:\)|["'`[{])|^(?:#!|<\?|@\w+\()/,
  /^[\w$.[\]]+\s*[-+*|:]?=\s*(?:["'`[{]|new\s|\d+;?$|\w+\()/,
  /^import\s+["'{*]|^import\s[^"']*\sfrom\s+["']|^from\s+[\w.]+\s+import\b/,
  /\{\s*[\w-]+\s*:[^{};]*;/,
];

/** Returns for each line of a text whether it is source code. */
export function linesOfCode(lines) {
  const trimmed = lines.map((line) => line.trim());
  const isStatement = trimmed.map(
    (line) =>
      (declaration.test(line) && /[=({:;]/.test(line)) ||
      (keyword.test(line) && /^\w+[^\w;].*(?:[;{]|\)\s*:)$/.test(line)) ||
      (line.startsWith('{') && /[:=]/.test(line) && /\}[,;]?$/.test(line)) ||
      statements.some((pattern) => pattern.test(line)),
  );
  if (!isStatement.includes(true)) return isStatement;

  return trimmed.map(
    (line, at) => isStatement[at] || keyword.test(line) || /[;,({]$|^[}\])@]|\w\(/.test(line),
  );
}
