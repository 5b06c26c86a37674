import { readThrough, recall, type Memory } from '../cache/read-through.ts';
import type { Registry, Source } from '../domain/registry.ts';

/** A registry with the memory of what it said in front of it. */
export function cachedRegistry(source: Source, memory: Memory): Registry {
  return {
    id: source.id,
    ask: (questions, asker) => readThrough(source, memory, questions, asker),
    recall: (questions) => recall(memory, questions),
  };
}
