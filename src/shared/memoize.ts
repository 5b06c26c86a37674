/**
 * Returns a function that calls `run` once and returns its first result from then on, whatever the
 * arguments. If `run` throws, the next call runs it again; a rejected promise is a result.
 */
export function once<Args extends unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
  let result: { value: T } | undefined;
  return (...args) => (result ??= { value: run(...args) }).value;
}

/**
 * Like `once` for a promise that may reject: concurrent callers share it, and a call after a
 * rejection runs it again.
 */
export function onceFulfilled<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  const reset = () => void (result = undefined);

  return () => {
    if (!result) {
      result = run();
      // The caller handles the rejection.
      result.catch(reset);
    }
    return result;
  };
}

/** A function that runs once. `value`: its result since then, a promise only until it is fulfilled. */
export interface OnceSettled<T> {
  (): T | Promise<T>;
  value?: T | Promise<T>;
}

/**
 * Like `once` for a result that may be a promise: once it is fulfilled, its plain value is
 * returned, so that callers need not await it.
 */
export function onceSettled<T extends object>(run: () => T | Promise<T>): OnceSettled<T> {
  const read: OnceSettled<T> = () => {
    if (read.value) return read.value;

    const value = run();
    read.value = value;
    const settle = (settled: T) => void (read.value = settled);

    // The caller handles a rejection.
    if (value instanceof Promise) value.then(settle, () => undefined);
    return value;
  };
  return read;
}

/**
 * Returns a function that derives a value from the result of `source`, and recomputes it only when
 * that result changes.
 */
export function derived<T, R>(source: () => T, derive: (from: T) => R): () => R {
  let last: { readonly from: T; readonly value: R } | undefined;
  return () => {
    const from = source();
    if (last?.from !== from) last = { from, value: derive(from) };
    return last.value;
  };
}

interface MapLike<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

/**
 * Returns the value of a key in a map or an `LRUCache`. Adds the one that `create` returns if there is
 * none, like `Map.prototype.getOrInsertComputed`, which Node.js 24 lacks.
 */
export function getOrInsert<Key, Value>(
  map: MapLike<Key, Value>,
  key: Key,
  create: () => Value,
): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;

  const created = create();
  map.set(key, created);
  return created;
}

/**
 * Returns a function that calls `run` once per object, and returns its first result for that object
 * from then on. The result is garbage-collected with the object.
 */
export function oncePerObject<T extends object, R>(run: (object: T) => R): (object: T) => R {
  const results = new WeakMap<T, { readonly value: R }>();
  return (object) => {
    return getOrInsert(results, object, () => ({ value: run(object) })).value;
  };
}
