import type { Context } from '../../src/execution/context.ts';
import type { ObjectData } from '../../src/domain/directory.ts';
import type { ObjectType } from '../../src/domain/object-ref.ts';
import type { ObjectOutcome, ObjectRow } from '../../src/lookup/object-lookups.ts';

/** An object of the schema: one that is looked up, or a part of another one. */
export interface DataRow<T> {
  readonly outcome: () => ObjectOutcome | Promise<ObjectOutcome>;
  /** Returns the data; null unless the object was found. */
  readonly data: () => T | null | Promise<T | null>;
  /** The maximum age of what is looked up from here, in seconds. */
  readonly maxAge: number | undefined;
}

/** Returns the row of an object that is looked up when one of its fields is selected. */
export function lookedUp<T extends ObjectType>({
  outcome,
  maxAge,
}: ObjectRow<T>): DataRow<ObjectData[T]> {
  return { outcome, maxAge, data: () => afterwards(outcome(), ({ data }) => data?.read() ?? null) };
}

/** Returns the row of an object that another one contains. */
export function embedded<T>(
  data: T,
  { outcome, maxAge }: Omit<DataRow<unknown>, 'data'>,
): DataRow<T> {
  return { outcome, maxAge, data: () => data };
}

/**
 * Returns a function that returns the options of a field: one that has the member `key` of an object,
 * and is null unless the object was found.
 */
export function fieldOf<T>() {
  return <K extends keyof T>(key: K) => {
    const resolve = (row: DataRow<T>, _args: object, context: Context) =>
      afterwards(row.data(), (data) => counted(data?.[key] ?? null, context));
    return { nullable: true, resolve } as const;
  };
}

/** Like `fieldOf` for a list, which is empty unless the object was found. */
export function listFieldOf<T>() {
  return <K extends keyof T>(key: K) => listField((data: T) => data[key]);
}

/** Returns the options of a field with a list that `read` derives from an object. */
export function listField<T, R>(read: (data: T, row: DataRow<T>) => R) {
  const resolve = (row: DataRow<T>, _args: object, context: Context) =>
    afterwards(row.data(), (data) => (data === null ? [] : counted(read(data, row), context)));
  return { resolve };
}

/** Returns a resolver that reads the outcome of a lookup. */
export const outcomeField =
  <R>(read: (outcome: ObjectOutcome) => R) =>
  (row: DataRow<unknown>, _args: object, context: Context) =>
    afterwards(row.outcome(), (outcome) => counted(read(outcome), context));

/**
 * Counts a value of an object, and returns it. If there are too many, the response will be rejected,
 * so a list is replaced by an empty one; errors of all fields would take far longer.
 */
export function counted<T>(value: T, { lookup }: Context): T {
  const isWithinLimit = lookup.objectValues.spend(value);
  return isWithinLimit || !Array.isArray(value) ? value : ([] as unknown[] as T);
}

function afterwards<T, R>(value: T | Promise<T>, read: (value: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(read) : read(value);
}
