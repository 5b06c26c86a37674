import { isSameName, type DomainName } from '../../domain/names/domain-name.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import table from './refusals.json' with { type: 'json' };
import type { ReplyClassification } from './tcp-source.ts';
import {
  compileLine,
  type LinePattern,
  type Lines,
  type State,
  type WhoisFormat,
} from './whois-format.ts';
import { getOrInsert } from '../../shared/memoize.ts';

/** The compiled patterns of a format. */
export interface WhoisPatterns {
  readonly refusals: readonly LinePattern[];
  readonly states: readonly (LinePattern & Pick<State, 'verdict'>)[];
  readonly available: readonly (readonly LinePattern[])[];
  readonly registered: readonly (readonly LinePattern[])[];
}

export function compileFormat(format: WhoisFormat): WhoisPatterns {
  return {
    refusals: (format.refusals ?? []).map(compileLine),
    states: (format.states ?? []).map(({ line, verdict }) => ({ ...compileLine(line), verdict })),
    available: compileAll(format.available),
    registered: compileAll(format.registered),
  };
}

function compileAll(alternatives: readonly Lines[]): readonly (readonly LinePattern[])[] {
  return alternatives.map((lines) => lines.map(compileLine));
}

interface RefusedQuery {
  readonly refusal: Refusal;
  readonly pattern: string;
}

/**
 * Reads a complete reply. Refusals come first, then lines that state another verdict; otherwise
 * exactly one of "not found" and "registered" must match. Undefined if the reply is unclear: nothing
 * or both match, or it is about another name.
 */
export function readReply(
  patterns: WhoisPatterns,
  name: DomainName,
  text: string,
): ReplyClassification | RefusedQuery | undefined {
  const lines = new ReplyLines(text, name);
  const matches = (pattern: LinePattern) => lines.matches(pattern);
  const refusal = refusalIn(patterns, text, matches);
  const registered = indexOf(patterns.registered, matches);

  // Registrants choose some texts of a registration, which must not stop queries for other names.
  if (refusal) return registered === -1 ? refusal : undefined;

  const nameLines = nameLinesOf([...patterns.registered, ...patterns.available].flat());
  if (lines.isTooLong || nameLines.some((pattern) => lines.hasOtherName(pattern))) return undefined;

  const available = indexOf(patterns.available, matches);
  const state = patterns.states.findIndex(matches);
  const verdict = patterns.states[state]?.verdict;
  if (verdict && available === -1)
    return stateOf(verdict, `state-${state + 1}`, nameLines.some(matches));
  if (verdict || (available === -1) === (registered === -1)) return undefined;
  if (available === -1) return { verdict: 'REGISTERED', pattern: `registered-${registered + 1}` };

  return hasRegisteredName(patterns, available, matches)
    ? undefined
    : { verdict: 'AVAILABLE', pattern: `available-${available + 1}` };
}

/** Returns whether a line matches any pattern. */
export function isReadLine(
  { refusals, states, available, registered }: WhoisPatterns,
  line: string,
): boolean {
  const patternsOfLines = [...refusals, ...states, ...available.flat(), ...registered.flat()];
  return patternsOfLines.some(({ regExp }) => regExp.test(line)) || findRefusal(line) !== undefined;
}

/**
 * Returns whether a "not found" reply also has the name in the form of a registration, in which only
 * the other lines have changed.
 */
function hasRegisteredName(
  patterns: WhoisPatterns,
  available: number,
  matches: (pattern: LinePattern) => boolean,
): boolean {
  const own = new Set(patterns.available[available]?.map(({ regExp }) => regExp.source));
  return nameLinesOf(patterns.registered.flat()).some(
    (pattern) => !own.has(pattern.regExp.source) && matches(pattern),
  );
}

function nameLinesOf(patterns: readonly LinePattern[]): readonly LinePattern[] {
  return patterns.filter(({ hasName }) => hasName);
}

function refusalIn(
  { refusals }: WhoisPatterns,
  text: string,
  matches: (pattern: LinePattern) => boolean,
): RefusedQuery | undefined {
  const own = refusals.findIndex(matches);
  return own === -1 ? findRefusal(text) : { refusal: limited, pattern: `own-refusal-${own + 1}` };
}

/**
 * Without its name, a reply does not show that the name cannot also be registered. Such a reply may
 * state RESERVED only.
 */
function stateOf(
  verdict: State['verdict'],
  pattern: string,
  hasName: boolean,
): ReplyClassification | undefined {
  if (verdict === 'UNKNOWN' || (!hasName && verdict !== 'RESERVED')) return undefined;
  return { verdict, pattern, ...(!hasName && { mayBeRegistered: true }) };
}

/** Returns the index of the first alternative whose lines all match, or -1. */
function indexOf(
  alternatives: readonly (readonly LinePattern[])[],
  matches: (pattern: LinePattern) => boolean,
): number {
  return alternatives.findIndex((lines) => lines.every(matches));
}

/** A longer line cannot be compared in bounded time. */
export const maxLineLength = 1000;
/** Captured replies have at most 200 lines. The limit bounds the time of comparing them. */
const maxLines = 1000;
/** A reply about one name spells it in at most two ways. The limit bounds the time of comparing. */
const maxSpellings = 10;

/** Whether the lines of a reply match a pattern: with its name or another one, if it has one. */
type Match = 'none' | 'matched' | 'other_name';

/** The distinct lines of a reply about a name, compared with each pattern once. */
class ReplyLines {
  /** Whether the reply has more or longer lines than are compared. */
  readonly isTooLong: boolean;
  readonly #lines: readonly string[];
  readonly #name: DomainName;
  readonly #results = new Map<string, Match>();

  constructor(text: string, name: DomainName) {
    const lines = Array.from(new Set(text.split(/[\r\n]+/)));
    this.#lines = lines.filter((line) => line.length <= maxLineLength);
    this.isTooLong = lines.length > maxLines || lines.length > this.#lines.length;
    this.#name = name;
  }

  /**
   * Returns whether a line matches. A pattern with a name matches only if all names that it finds
   * are the queried one.
   */
  matches(pattern: LinePattern): boolean {
    return this.#compare(pattern) === 'matched';
  }

  /** Returns whether a line matches with another name than the queried one. */
  hasOtherName(pattern: LinePattern): boolean {
    return this.#compare(pattern) === 'other_name';
  }

  #compare(pattern: LinePattern): Match {
    return getOrInsert(this.#results, pattern.regExp.source, () => this.#matchOf(pattern));
  }

  #matchOf({ regExp, hasName, isVariant }: LinePattern): Match {
    if (!hasName) return this.#lines.some((line) => regExp.test(line)) ? 'matched' : 'none';

    const names = new Set(this.#lines.flatMap((line) => regExp.exec(line)?.[1] ?? []));
    if (names.size === 0) return 'none';

    const isQueried = (found: string) => isSameName(found, this.#name);
    const found = Array.from(names);
    const isSame = isVariant ? found.some(isQueried) : found.every(isQueried);

    return names.size <= maxSpellings && isSame ? 'matched' : 'other_name';
  }
}

/** Why a server refused a query. */
export interface Refusal {
  readonly code: Extract<ProblemCode, 'registry_busy' | 'registry_error' | 'whois_unclear'>;
  readonly text: string;
  /**
   * `refused`: the operator limits or blocks queries. `failed`: the server has an outage. `rejected`:
   * the server does not accept this name, which says nothing about others.
   */
  readonly kind: 'refused' | 'failed' | 'rejected';
}

interface Row extends Refusal {
  readonly patterns: readonly string[];
}

/**
 * Refusals of many servers. They are recognized before everything else, because some of them also
 * contain a "not found". Without an anchor, a pattern matches a sentence that is specific enough:
 * none of them matches a captured reply with a verdict.
 */
const rows = table as Readonly<Record<keyof typeof table, Row>>;

export const { limited }: Readonly<Record<'limited', Refusal>> = rows;

const patterns = Object.values(rows).flatMap(({ patterns: sources, ...refusal }) =>
  sources.map((source) => [new RegExp(source, 'im'), refusal] as const),
);

/** Returns the refusal in a reply, with the pattern that it matches. */
export function findRefusal(text: string): RefusedQuery | undefined {
  const index = patterns.findIndex(([regExp]) => regExp.test(text));
  const refusal = patterns[index]?.[1];
  return refusal && { refusal, pattern: `refusal-${index + 1}` };
}
