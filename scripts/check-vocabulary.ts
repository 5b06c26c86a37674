// Prints the banned words of the repository and what to write instead. Part of `npm run check`; the list is in banned-words.ts.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { bannedWords, exceptions } from './banned-words.ts';

const checked =
  'src schema test docs scripts ops .ci compose.yaml Dockerfile README.md CHANGELOG.md ' +
  'CONTRIBUTING.md SECURITY.md';
const maxReadmeWords = 1500;

interface Found {
  readonly at: number;
  readonly word: string;
  readonly use: string;
}

const useByWord = new Map(
  bannedWords.flatMap(({ forms, use }) => forms.map((form) => [form, use] as const)),
);
const phrases = Array.from(useByWord.keys()).filter((form) => form.includes(' '));
/** The words of a phrase may be on different lines of a comment. */
const gap = String.raw`\s+(?:(?:\/\/|\*|#|--)\s+)?`;
const phrase = new RegExp(`\\b(?:${phrases.join('|').replaceAll(' ', gap)})\\b`, 'gi');
/** A word, or a part of a camelCase, PascalCase, snake_case or UPPER_CASE identifier. */
const wordOrPart = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

const problems = [
  ...filesOf(checked.split(' ')).flatMap(problemsOf),
  ...lengthProblems('README.md'),
];
for (const problem of problems) console.log(problem);
if (problems.length > 0) {
  console.log(`${problems.length} problems. Exceptions and their reasons: scripts/banned-words.ts`);
  process.exitCode = 1;
}

/** Returns the files below the working folder that Git tracks or would add. */
function filesOf(paths: readonly string[]): readonly string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths];
  const files = execFileSync('git', list, { encoding: 'utf8' }).split('\0');
  return files.filter((file) => file !== '' && existsSync(file));
}

function problemsOf(path: string): readonly string[] {
  const applying = exceptions.filter((exception) => path.startsWith(exception.path));
  if (applying.some(({ text }) => text === undefined)) return [];
  const text = readFileSync(path, 'utf8');
  const allowed = applying.flatMap((exception) => spansOf(text, exception.text));
  const inPath = findIn(path).map(({ word, use }) => `${path}: "${word}" in the path → use ${use}`);
  const inText = findIn(text)
    .filter(({ at }) => !allowed.some(([start, end]) => at >= start && at < end))
    .map(({ at, word, use }) => `${path}:${lineOf(text, at)}: "${word}" → use ${use}`);
  return [...inPath, ...inText];
}

function findIn(text: string): readonly Found[] {
  return [...text.matchAll(wordOrPart), ...text.matchAll(phrase)]
    .flatMap(({ 0: word, index: at }) => {
      const use = useByWord.get(normalized(word));
      return use === undefined ? [] : [{ at, word: normalized(word), use }];
    })
    .toSorted((a, b) => a.at - b.at);
}

/** Returns a phrase in lower case with single spaces. */
function normalized(found: string): string {
  return found.toLowerCase().replaceAll(/[^a-z]+/g, ' ');
}

function spansOf(
  text: string,
  pattern: RegExp | undefined,
): readonly (readonly [number, number])[] {
  if (pattern === undefined) return [];
  return Array.from(text.matchAll(pattern), ({ 0: { length }, index }) => [index, index + length]);
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function lengthProblems(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const words = readFileSync(path, 'utf8').match(/\S+/g)?.length ?? 0;
  if (words <= maxReadmeWords) return [];
  return [`${path}: ${words} words, at most ${maxReadmeWords} → move details to docs/`];
}
