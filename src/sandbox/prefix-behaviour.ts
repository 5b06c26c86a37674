import type { ObjectBehaviour } from './sandbox-object.ts';

const prefixes: readonly ObjectBehaviour[] = ['redirect', 'slow', 'busy', 'down', 'html', 'hang'];

/** Returns the behaviour that the start of a handle or host name selects, in any case. */
export function prefixBehaviour(text: string): ObjectBehaviour | undefined {
  return prefixes.find((prefix) => text.toLowerCase().startsWith(prefix));
}
