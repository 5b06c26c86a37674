/** Sends `count` requests concurrently. */
export function concurrently(count: number, send: () => Promise<Response>): Promise<Response[]> {
  return Promise.all(Array.from({ length: count }, send));
}

/** Sends `count` requests sequentially. */
export async function sequentially(
  count: number,
  send: () => Promise<Response>,
): Promise<Response[]> {
  const answers = [];
  for (let number = 0; number < count; number++) answers.push(await send());
  return answers;
}

/** Counts responses by status. */
export function statuses(answers: readonly Response[]): Record<string, number> {
  return Object.fromEntries(
    Array.from(
      Map.groupBy(answers, ({ status }) => status),
      ([status, { length }]) => [status, length],
    ),
  );
}
