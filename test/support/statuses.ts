/** Asks so often at once. */
export function concurrently(count: number, ask: () => Promise<Response>): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, ask));
}

/** Asks so often, one after the other. */
export async function sequentially(
  count: number,
  ask: () => Promise<Response>,
): Promise<Response[]> {
  const answers = [];
  for (let number = 0; number < count; number++) answers.push(await ask());
  return answers;
}

/** How many answers had which status. */
export function statuses(answers: readonly Response[]): Record<string, number> {
  return Object.fromEntries(
    Array.from(
      Map.groupBy(answers, ({ status }) => status),
      ([status, { length }]) => [status, length],
    ),
  );
}
