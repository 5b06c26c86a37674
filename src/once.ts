/** The same function, whose first result is its only one, whatever it is called with later. What throws has no result. */
export function once<Args extends unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
  let result: { value: T } | undefined;
  return (...args) => (result ??= { value: run(...args) }).value;
}
