import type { Json, JsonObject } from '../../../domain/registration.ts';
import { cleanText } from './page-text.ts';

const maxDepth = 20;
const maxItems = 50;
const maxTypes = 100;
/** Of all JSON-LD of a page, in characters. */
const maxLength = 100_000;
const omittedMembers = new Set(['email', 'telephone', 'faxnumber', '__proto__']);

/** Collects the structured data of a page. */
export class StructuredDataReader {
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

  /** Reads a block of JSON-LD. Blocks beyond 100,000 characters are ignored. */
  readJsonLd(text: string): void {
    if (text.length > this.#left) return;
    this.#left -= text.length;
    try {
      this.#addItems(JSON.parse(text) as Json);
    } catch {
      this.#parseErrors += 1;
    }
  }

  /** Adds types of schema.org, by their URL or without it. */
  addType(type: string): void {
    const name = type.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '');
    if (/^\w{1,100}$/.test(name) && this.#types.size < maxTypes) this.#types.add(name);
  }

  #addItems(value: Json, depth = 0): void {
    for (const item of isList(value) ? value : [value]) {
      if (isList(item) || !isObject(item) || depth > 1) continue;
      const { '@graph': graph, ...own } = item;
      const { '@context': _context, ...content } = own;
      if (graph === undefined || Object.keys(content).length > 0) this.#addItem(own);
      if (graph !== undefined) this.#addItems(graph, depth + 1);
    }
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
  return omittedMembers.has(
    key
      .slice(0, 200)
      .replace(/^.*[:/]/, '')
      .toLowerCase(),
  );
}

function cleanString(text: string): string | undefined {
  return /^\s*(?:javascript|data|mailto|tel):/i.test(text) ? undefined : cleanText(text);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
