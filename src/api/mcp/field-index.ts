import type { SchemaField } from './schema-fields.ts';
import synonyms from './synonyms.json' with { type: 'json' };

/** How much a word counts by where it stands. */
const weights = { name: 8, path: 4, description: 1 } as const;

const places = Object.entries(weights) as [keyof typeof weights, number][];

type Words = Readonly<Record<keyof typeof weights, ReadonlySet<string>>>;

/** Finds fields by the words of their names, paths and descriptions. */
export class FieldIndex {
  readonly #fields: readonly (readonly [SchemaField, Words])[];
  /** The number of fields that contain a word. */
  readonly #counts = new Map<string, number>();

  constructor(fields: readonly SchemaField[]) {
    this.#fields = fields.map((field) => [field, wordsIn(field)]);
    for (const [, { name, path, description }] of this.#fields)
      for (const word of new Set([...name, ...path, ...description]))
        this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  /** Returns the fields that have most of the words of a text, the best first. */
  search(text: string, limit: number): { found: readonly SchemaField[]; total: number } {
    const terms = [...new Set(wordsOf(text))].map((term) =>
      [term, ...(meanings[term] ?? [])].map((word) => [word, this.#rarityOf(word)] as const),
    );
    const matches = this.#fields
      .map(([field, words]) => ({ field, score: scoreOf(terms, words) / pathLength(field) ** 0.3 }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);

    return { found: matches.slice(0, limit).map(({ field }) => field), total: matches.length };
  }

  #rarityOf(word: string): number {
    return Math.log(1 + this.#fields.length / (this.#counts.get(word) ?? Infinity));
  }
}

const pathLength = ({ path }: SchemaField) => path.split('.').length;

type Term = readonly (readonly [word: string, rarity: number])[];

/** Rare words count more, and the more of the words a field has, the more each of them counts. */
function scoreOf(terms: readonly Term[], words: Words): number {
  const weightOf = (word: string) =>
    places.reduce((sum, [place, weight]) => sum + (words[place].has(word) ? weight : 0), 0);
  const scores = terms.map((term) =>
    Math.max(...term.map(([word, rarity]) => weightOf(word) * rarity)),
  );
  const matched = scores.filter((score) => score > 0).length;

  return scores.reduce((sum, score) => sum + score, 0) * (matched / terms.length) ** 2;
}

function wordsIn({ path, description, type }: SchemaField): Words {
  const names = path.split('.');
  return {
    name: new Set(wordsOf(names.at(-1) ?? '')),
    path: new Set(wordsOf(`${names.join(' ')} ${type}`)),
    description: new Set(wordsOf(description)),
  };
}

/** What words of a question may be called in the schema. */
const meanings: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(synonyms).map(([word, others]) => [stem(word), others.map(stem)]),
);

/** Returns the words of a text or a name in lower case, without endings and words that say nothing. */
function wordsOf(text: string): readonly string[] {
  const words =
    text
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z\d]+/g) ?? [];
  return words.filter((word) => !stopWords.has(word)).map(stem);
}

function stem(word: string): string {
  return word.length > 3 ? word.replace(/(?:ies|es|s|e|y|ed|ing|ion|ions)$/, '') : word;
}

const stopWords = new Set(
  'a an and are at be by can do does for from has have how i if in is it its me my of on or that the their there this to was what when where which who why will with'.split(
    ' ',
  ),
);
