import type { Json, JsonObject } from '../../domain/registration.ts';
import { jsonIn } from '../../shared/shapes.ts';
import table from './category-table.json' with { type: 'json' };
import { containsEmailAddress, cleanText } from './page-text.ts';

const maxDepth = 10;
const maxNodes = 5000;
/** How many types, or values of a member, are read from one object. */
const maxValues = 100;

/** Returns whether a value is a JSON object: not null and not a list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the types of a JSON-LD object without the prefix of schema.org. */
export function typesOf(item: JsonObject): readonly string[] {
  return stringsOf(item['@type']).map(schemaTypeName);
}

/** Returns a type without the prefix of schema.org: its URL or `schema:`. */
export function schemaTypeName(type: string): string {
  return type.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '');
}

/** Returns the values of a member that may be one value, or a list of values. */
export function valuesOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.slice(0, maxValues) : [value as Json];
}

/** Returns the strings of a member: strings, and objects with `@value` (JSON-LD 1.1). */
export function stringsOf(value: Json | undefined): readonly string[] {
  return valuesOf(value).flatMap((one) => {
    const text = isObject(one) ? one['@value'] : one;
    return typeof text === 'string' ? [text] : [];
  });
}

/** Returns the URLs of a member: strings, and objects with `@id` or `url`. */
export function urlsOf(value: Json | undefined): readonly string[] {
  return valuesOf(value).flatMap((one) =>
    stringsOf(isObject(one) ? (one['@value'] ?? one['@id'] ?? one['url']) : one).slice(0, 1),
  );
}

/** Returns the types of the objects inside of items, at most ten levels deep. */
export function nestedTypes(items: readonly Json[]): ReadonlySet<string> {
  const types = new Set<string>();
  const pending = items.filter(isObject).flatMap((item) => entriesBelow(item, 0));
  for (let index = 0; index < pending.length && index < maxNodes; index += 1) {
    const node = pending[index];
    if (!node) break;
    if (isObject(node.value)) for (const type of typesOf(node.value)) types.add(type);
    if (node.depth < maxDepth && pending.length < maxNodes)
      pending.push(...entriesBelow(node.value, node.depth + 1));
  }

  return types;
}

interface Node {
  readonly value: Json;
  readonly depth: number;
}

function entriesBelow(value: Json, depth: number): readonly Node[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value)
    .slice(0, maxValues)
    .map((below) => ({ value: below, depth }));
}

/**
 * The types of schema.org that declare what a site is about. Types that every site may have, such as
 * `WebSite`, `BreadcrumbList` or `ImageObject`, are not in it.
 */
const rows = table.schemaTypes.flatMap(({ types, ...row }) =>
  types.split(' ').map((type) => ({ type, ...row })),
);
const categoryByType = new Map(rows.map(({ type, category }) => [type, category]));
const organizationTypes = new Set(
  rows.filter(({ isOrganization }) => isOrganization).map(({ type }) => type),
);

/** `WebPage` and the types below it, which are about their `mainEntity`. */
const pageTypes = new Set(table.pageTypes.split(' '));

/** Returns whether things of a schema.org type are pages. */
export function isPageType(type: string): boolean {
  return pageTypes.has(type);
}

/** Returns the category of a schema.org type; undefined for a type that says nothing, or is unknown. */
export function categoryOfType(type: string): string | undefined {
  return categoryByType.get(type);
}

/** Returns whether things of a schema.org type are organizations. */
export function isOrganizationType(type: string): boolean {
  return organizationTypes.has(type);
}

const maxItemDepth = 20;
const maxItems = 50;
const maxTypes = 100;
/** Length of all JSON-LD of a page, in characters. */
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
    if (depth > maxItemDepth) return false;
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
    if (depth > maxItemDepth) return undefined;
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
