import { workMs, type WorkBudget } from '../accounts/work-limit.ts';
import type {
  Extension,
  ExtensionLookups,
  ExtensionOperation,
  SelectedField,
} from '../domain/extension.ts';
import { toUnicodeName, type DomainName } from '../domain/names/domain-name.ts';
import { parseEntry, requireNonEmpty } from '../domain/names/parsed-name.ts';
import { invalidParameter, Problem } from '../domain/problems.ts';
import type { Timelines } from '../domain/timeline.ts';
import { changeTypes, type ChangeType } from './observation.ts';
import { sharedAccount, type ChangeFilter, type Watcher } from './types.ts';
import { creditsPerMonth } from './watch-rows.ts';
import type { Watches } from './watches.ts';

/** The parts of the gateway that the APIs of watches use. */
export interface WatchParts {
  readonly watches: Watches;
  readonly timelines: Timelines;
  /** Returns the address that clients use. */
  readonly baseUrl: () => string;
}

/** The watches of the caller of one operation. It looks nothing up. */
export class AccountWatches implements ExtensionLookups {
  readonly count = 0;
  readonly price = 0;
  readonly parts: WatchParts;
  readonly watcher: Watcher;
  readonly operation: ExtensionOperation;

  constructor(parts: WatchParts, operation: ExtensionOperation) {
    this.parts = parts;
    this.watcher = watcherOf(operation.payer);
    this.operation = operation;
  }

  /** Returns the price of `watch` if none of its names is watched yet. */
  laterPrice({ name, args }: SelectedField): number {
    if (name !== 'watch') return 0;
    const parsed = (args['domains'] as readonly string[]).map(parseEntry);
    const priced = parsed.filter((each) => !('problem' in each) && !each.domain.endsWith('.test'));
    return new Set(priced.map(({ domain }) => domain)).size * creditsPerMonth;
  }
}

/** Returns the watches of operations. Everything else knows them only as an `Extension`. */
export function watchExtension(parts: WatchParts): Extension {
  return {
    rootFields: new Map(),
    isLookup: () => false,
    open: (_selections, operation) => new AccountWatches(parts, operation),
  };
}

/** Returns the watcher of an account, by default of a caller without a key. */
export function watcherOf(account: string | undefined): Watcher {
  return account === undefined ? sharedAccount : { id: account, isMetered: true };
}

/** The sizes of pages of watches and changes. */
export const pageSizes = { default: 100, max: 500 };
/** How many fields a watch or a change has, approximately. */
export const fieldsPerRow = 10;

/** Counts the work of the rows of a list, besides that of the list. */
export function countRows(work: WorkBudget, rows: readonly unknown[]): void {
  work.count(workMs.lists(0, fieldsPerRow * rows.length));
}

/** Returns which changes are read. Throws `invalid_name` and `invalid_parameter`. */
export function readFilter(sent: {
  readonly after?: string | null | undefined;
  readonly domain?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
}): ChangeFilter {
  const { after, domain, types } = sent;
  return {
    after: after ?? undefined,
    domain: domain == null ? undefined : readName(domain),
    types: types ? readTypes(types) : undefined,
  };
}

/** Returns a name in A-labels. Throws `invalid_name`. */
export function readName(entry: string): DomainName {
  const parsed = parseEntry(entry);
  if (!('problem' in parsed)) return parsed.domain;
  throw new Problem('invalid_name', parsed.problem.message, { param: 'domain' });
}

/** Returns types of changes, in any case. Throws `invalid_parameter`. */
export function readTypes(types: readonly string[]): readonly ChangeType[] {
  const read = requireNonEmpty('types', types).map((sent) => {
    const found = changeTypes.find((type) => type === sent.trim().toUpperCase());
    if (found) return found;
    const names = changeTypes.join(', ').toLowerCase();
    throw invalidParameter('types', `types must be some of ${names}.`);
  });
  return [...new Set(read)];
}

const maxLabelLength = 100;

/** Returns the label of a watch. Throws `invalid_parameter`. */
export function readLabel(label: string | null | undefined): string | undefined {
  if (label == null) return undefined;
  if (label.length > 0 && label.length <= maxLabelLength && !/\p{Cc}/u.test(label)) return label;
  const detail = `label must have from 1 to ${maxLabelLength} characters, none of control.`;
  throw invalidParameter('label', detail);
}

/** Returns a name as people read it. */
export function shownName(domain: string): string {
  return toUnicodeName(domain as DomainName);
}
