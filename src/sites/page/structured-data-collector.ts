import type { Json } from '../../domain/registration.ts';
import { containsEmailAddress, cleanText } from './page-text.ts';
import { jsonIn } from '../../shared/shapes.ts';
import { isObject, schemaTypeName } from './json-ld.ts';

const maxDepth = 20;
const maxItems = 50;
const maxTypes = 100;
/** Of all JSON-LD of a page, in characters. */
const maxLength = 100_000;
const omittedMembers = new Set(['email', 'telephone', 'faxnumber', '__proto__']);

/** Collects the structured data of a page. */
export class StructuredDataCollector {
  readonly items: Json[] = [];
  readonly #types = new Set<string>();
  #parseErrors = 0;
  #left = maxLength;

  get types(): readonly string[] {
    return [...this.#types];
  }

  get parseErrors(): number {
    return this.#parseErrors;
  }

  /**
   * Adds a block of JSON-LD. Blocks that are not JSON, are nested too deeply or are beyond 100,000
   * characters count as errors.
   */
  addJsonLd(text: string): void {
    const value = text.length > this.#left ? undefined : (jsonIn(text) as Json | undefined);
    if (text.length <= this.#left) this.#left -= text.length;
    if (value === undefined || !this.#addItems(value)) this.#parseErrors += 1;
  }

  /** Adds a type of schema.org, with the prefix of the vocabulary or without it. */
  addType(type: string): void {
    const name = schemaTypeName(type);
    if (/^\w{1,100}$/.test(name) && this.#types.size < maxTypes) this.#types.add(name);
  }

  /** Adds the objects of lists and graphs. Returns whether none is nested too deeply. */
  #addItems(value: Json, depth = 0): boolean {
    if (depth > maxDepth) return false;
    if (isList(value)) return value.map((item) => this.#addItems(item, depth + 1)).every(Boolean);
    if (!isObject(value)) return true;
    const { '@graph': graph, ...own } = value;
    const { '@context': _context, ...content } = own;
    if (graph === undefined || Object.keys(content).length > 0) this.#addItem(own);
    return graph === undefined || this.#addItems(graph, depth + 1);
  }

  #addItem(item: Json): void {
    if (this.items.length < maxItems) this.items.push(this.#clean(item, 1) ?? null);
  }

  /** Returns a copy without e-mail addresses, telephone numbers, and what is nested too deeply. */
  #clean(value: Json, depth: number): Json | undefined {
    if (typeof value === 'string') return cleanString(value);
    if (value === null || typeof value !== 'object') return value;
    if (depth > maxDepth) return undefined;
    if (isList(value))
      return value
        .map((item) => this.#clean(item, depth + 1))
        .filter((item): item is Json => item !== undefined);
    for (const type of [value['@type'] ?? []].flat() as Json[])
      if (typeof type === 'string') this.addType(type);
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) => {
        const cleaned = isOmitted(key) ? undefined : this.#clean(member, depth + 1);
        return cleaned === undefined ? [] : [[key.slice(0, 200), cleaned]];
      }),
    );
  }
}

function isOmitted(key: string): boolean {
  if (containsEmailAddress(key)) return true;
  return omittedMembers.has(
    key
      .slice(0, 200)
      .replace(/^.*[:/]/, '')
      .toLowerCase(),
  );
}

function cleanString(text: string): string | undefined {
  if (/^\s*(?:javascript|data|mailto|tel):/i.test(text)) return undefined;
  const cleaned = cleanText(text);
  // `cleanText` keeps URLs whole, such as `https:info@example.com`.
  return containsEmailAddress(cleaned) ? undefined : cleaned;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
