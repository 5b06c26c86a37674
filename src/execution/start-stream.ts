import type { Context } from './context.ts';
import type { PartialResult, Stream } from './result.ts';

/** Starts a stream of results, which settles its operation when it ends, however it ends. */
export async function startStream(
  results: AsyncIterable<PartialResult>,
  { settlement, lookup, nextTurn, resumption }: Context,
): Promise<Stream> {
  let isComplete = false;
  const settleCompleted = async () => {
    await settlement.settle('completed');
    isComplete = true;
  };

  async function* settled(): AsyncGenerator<PartialResult, void, void> {
    try {
      yield {}; // taken below: a generator that has not started skips its `finally`
      for await (const part of results) {
        lookup.objectValues.check();
        if (part.hasNext === false) await settleCompleted();
        yield part;
      }

      await settleCompleted();
    } finally {
      await settlement.abort();
    }
  }

  const initialCost = await settlement.currentCost();
  const parts = settled();
  await parts.next();

  const cost = () => (isComplete ? settlement.settle('completed') : settlement.currentCost());
  return { parts, nextTurn, initialCost, cost, eventId: () => resumption?.eventId };
}
