/**
 * Returns a function that calls `run` once per object, and returns its first result for that object
 * from then on. The result is garbage-collected with the object.
 */
export function oncePerObject<T extends object, R>(run: (object: T) => R): (object: T) => R {
  const results = new WeakMap<T, { readonly value: R }>();
  return (object) => {
    const result = results.get(object) ?? { value: run(object) };
    results.set(object, result);
    return result.value;
  };
}
