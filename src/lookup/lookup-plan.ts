import { registrableNameOf, splitEntry, type ParsedName } from '../domain/names/parsed-name.ts';
import type { Directory, Resolution } from '../domain/directory.ts';
import { splitName, type DomainName, type SplitName } from '../domain/names/domain-name.ts';
import { invalidRowId } from '../domain/node-id.ts';
import {
  details,
  priorities,
  type Confirm,
  type Detail,
  type NameQuery,
  type Priority,
  type Registry,
} from '../domain/source.ts';
import type { Policy } from '../domain/policy.ts';
import { Problem } from '../domain/problems.ts';
import type { SelectedField } from '../domain/extension.ts';

/** The lookups of one root field of an operation, from its arguments and selection. */
export interface FieldLookup {
  /** Identifies the arguments of the field. Fields with equal ones have the same rows. */
  readonly key: string;
  /** One per distinct name. */
  readonly names: readonly ParsedName[];
  /** The requested ids, if rows are requested by id; rows with other ids are dropped. */
  readonly ids?: ReadonlySet<string>;
  readonly maxAge: number | undefined;
  readonly detail: Detail;
  /** `ALL` by default. */
  readonly confirm?: Confirm;
  /** The registrar's record is looked up too. It is stored separately from the registry's. */
  readonly registrarRecord?: boolean;
  readonly priority: Priority;
  /**
   * Milliseconds after which unfinished rows are PENDING. Their lookups continue, so they may be
   * queued as long as those of a stream.
   */
  readonly budgetMs?: number | undefined;
  /** The field fails if its only name is not exactly one label under its suffix. */
  readonly isStrict?: boolean;
  /** The fields of each name that extensions look up. */
  readonly selected?: readonly SelectedField[];
  /** The problem of invalid arguments: the field fails with it, and nothing is looked up. */
  readonly problem?: Problem;
}

/** One name of an operation, or an entry that is not a name. */
export interface PlannedRow {
  /** The global id. */
  readonly id: string;
  /** The A-label name; an entry that is not a name is unmodified. */
  readonly domain: string;
  /** The label under the suffix, or the part of an entry before its first dot. */
  readonly name: string;
  readonly tld: string;
  readonly target: Target | { readonly problem: Problem };
  /** Why the entry is not a name; null for a name. */
  readonly refusal: Problem | null;
  /** Returns the name to which an entry that is not a name belongs; null without one. */
  readonly registrableName?: () => DomainName | null;
  /** The full names that were probably meant, if the TLD does not exist. */
  readonly didYouMean?: readonly string[] | undefined;
}

/** A query, its registry, and who may register names there. */
export interface Target {
  readonly registry: Registry;
  readonly policy: Policy;
  readonly query: NameQuery;
}

/** What the fields of an operation require of a name. */
type Requirements = Pick<NameQuery, 'maxAge' | 'requireDefaultFreshness' | 'detail' | 'confirm'>;

interface PlannedField extends FieldLookup {
  readonly rows: readonly PlannedRow[];
}

/**
 * The lookups of one operation. Each distinct name is resolved once, and its row is used for the
 * price, the cache read and the resolvers. The strictest requirements of all fields apply to a
 * name.
 */
export class LookupPlan {
  readonly #directory: Directory;
  readonly #notBefore: number | undefined;
  readonly #language: string | undefined;
  readonly #requirements: ReadonlyMap<DomainName, Requirements>;
  readonly #resolutions = new Map<DomainName, Resolution>();
  readonly #rows = new Map<string, PlannedRow>();
  readonly #later = new Map<string, PlannedRow>();
  readonly #fields: ReadonlyMap<string, PlannedField>;
  readonly fields: readonly PlannedField[];
  readonly rows: readonly PlannedRow[];

  /**
   * Answers stored since `notBefore` (epoch ms) are accepted: they were paid for under the same
   * idempotency key. `language`: in which objects are wanted.
   */
  constructor(
    fields: readonly FieldLookup[],
    directory: Directory,
    notBefore?: number,
    language?: string,
  ) {
    this.#directory = directory;
    this.#notBefore = notBefore;
    this.#language = language;
    this.#requirements = requirementsByName(fields);
    this.fields = fields.map((field) => this.#plan(field));
    this.#fields = new Map(this.fields.map((field) => [field.key, field]));
    this.rows = Array.from(this.#rows.values());
  }

  /** The priority of the most urgent field. */
  get priority(): Priority {
    return (
      priorities.find((priority) => this.fields.some((field) => field.priority === priority)) ??
      'single'
    );
  }

  row(id: string): PlannedRow | undefined {
    return this.#rows.get(id) ?? this.#later.get(id);
  }

  /** Returns a new row of a name that is known only now, such as that of a change. */
  later(domain: DomainName, detail: Detail, maxAge?: number): PlannedRow {
    const name = splitName(domain);
    const resolution = this.#directory.resolve(name);
    const query = {
      name,
      detail,
      maxAge,
      requireDefaultFreshness: true,
      notBefore: this.#notBefore,
    };
    const row = rowOf(name, 'problem' in resolution ? resolution : { ...resolution, query });
    this.#later.set(row.id, row);
    return row;
  }

  /** Returns the field with these arguments. Throws the problem of invalid ones. */
  field(key: string): PlannedField {
    const field = this.#fields.get(key);
    if (!field) throw new Error(`no lookup is planned for the arguments ${key}`);
    if (field.problem) throw field.problem;
    return field;
  }

  /** Returns whether no registry is queried for a name, or only the sandbox. */
  isFree(name: DomainName): boolean {
    if (name.endsWith('.test')) return true;
    const resolution = this.#resolutions.get(name) ?? this.#directory.resolve(splitName(name));
    return 'problem' in resolution;
  }

  #plan(field: FieldLookup): PlannedField {
    const planned = field.names
      .map((name) => ({ name, row: this.#rowOf(name) }))
      .filter(({ row }) => !field.ids || field.ids.has(row.id));
    const rows = planned.map(({ row }) => row);
    const { refusal } = (field.isStrict && rows.find((row) => row.refusal)) || {};
    if (refusal) {
      const problem = new Problem('invalid_name', refusal.message, { param: 'name' });
      return { ...field, names: [], rows: [], problem };
    }

    for (const row of rows) if (!this.#rows.has(row.id)) this.#rows.set(row.id, row);
    return { ...field, names: planned.map(({ name }) => name), rows };
  }

  #rowOf(name: ParsedName): PlannedRow {
    if ('problem' in name) return this.#invalidRow(name.domain, name.problem);

    const { domain, rawInput = domain } = name;
    const existing = this.#rows.get(domain);
    if (existing) return existing;

    const split = splitName(domain);
    const resolution = this.#directory.resolve(split);
    this.#resolutions.set(domain, resolution);

    // A name that is not exactly one label under its suffix is returned as the caller wrote it.
    if ('problem' in resolution)
      return resolution.problem.code === 'invalid_name'
        ? this.#invalidRow(rawInput, resolution.problem)
        : rowOf(split, resolution);

    const query = {
      name: split,
      notBefore: this.#notBefore,
      language: this.#language,
      ...(this.#requirements.get(domain) ?? { detail: 'record' }),
    };

    return rowOf(split, { ...resolution, query });
  }

  #invalidRow(entry: string, problem: Problem): PlannedRow {
    const registrableName = () => registrableNameOf(entry, this.#directory);
    const { label: name, suffix: tld } = splitEntry(entry);
    const row = { id: invalidRowId(entry), domain: entry, name, tld };
    return { ...row, target: { problem }, refusal: problem, registrableName };
  }
}

function requirementsByName(fields: readonly FieldLookup[]): ReadonlyMap<DomainName, Requirements> {
  const requirements = new Map<DomainName, Requirements>();
  for (const field of fields) {
    for (const name of field.names) {
      if (!('problem' in name))
        requirements.set(name.domain, mergeRequirements(requirements.get(name.domain), field));
    }
  }

  return requirements;
}

/** Returns the smaller `maxAge`, the higher level of detail, and `ALL` unless both confirm less. */
function mergeRequirements(
  other: Requirements | undefined,
  { maxAge, detail, confirm = 'ALL' }: FieldLookup,
): Requirements {
  const ages = [maxAge, other?.maxAge].filter((age) => age !== undefined);
  return {
    maxAge: ages.length > 0 ? Math.min(...ages) : undefined,
    requireDefaultFreshness: maxAge === undefined || other?.requireDefaultFreshness === true,
    detail:
      other && details.indexOf(other.detail) > details.indexOf(detail) ? other.detail : detail,
    confirm: other?.confirm === 'ALL' ? 'ALL' : confirm,
  };
}

/** Returns the names of rows that are names. */
export function validNames(rows: readonly PlannedRow[]): readonly DomainName[] {
  return rows.filter(({ refusal }) => !refusal).map(({ domain }) => domain as DomainName);
}

function rowOf({ ascii, label, suffix }: SplitName, target: PlannedRow['target']): PlannedRow {
  const didYouMean = 'problem' in target ? target.problem.didYouMean : undefined;
  const row = { id: ascii, domain: ascii, name: label, tld: suffix };
  return { ...row, target, refusal: null, didYouMean };
}
