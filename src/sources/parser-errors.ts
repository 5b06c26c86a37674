import type { Log } from '../log.ts';

/** Told of an error of our own in reading what a server sent; `url` is at that server. Callers are told that the registry failed. */
export type Overlooked = (url: string, error: unknown) => void;

/** One line in the log for each: the host, and the error without its message, which may quote what was read, a name or a contact. */
export function parserErrorsTo(log: Log): Overlooked {
  return (url, error) => {
    const { host } = new URL(url);
    const err = error instanceof Error ? { type: error.name, stack: framesOf(error) } : { type: typeof error };
    log.error({ host, err }, 'the gateway failed at reading what a registry sent');
  };
}

/** The places in a stack: V8 writes the message before them. */
function framesOf({ stack = '', message }: Error): string {
  return stack.slice(stack.indexOf(message) + message.length).trim();
}
