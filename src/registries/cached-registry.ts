import { readThrough, type Memory } from '../cache/read-through.ts';
import type { Recall, Registry, Source } from '../domain/registry.ts';

/** A registry with the memory of what it said in front of it. */
export function cachedRegistry(source: Source, memory: Memory, recall: Recall): Registry {
  return {
    id: source.id,
    ask: (questions, asker) => readThrough(source, memory, questions, asker),
    recall,
  };
}
