import { readThrough, recall, type Memory } from '../cache/read-through.ts';
import type { Registry } from '../domain/registry.ts';

/** A registry with the memory of what it said in front of it. */
export function cachedRegistry(registry: Registry, memory: Memory): Registry {
  return {
    id: registry.id,
    ask: (questions, asker) => readThrough(registry, memory, questions, asker),
    recall: (questions) => recall(memory, questions),
  };
}
