import type { Log } from '../../log.ts';

/**
 * Receives an error of our parser, with the URL of the server whose response it failed to parse.
 * Clients see a registry failure.
 */
export type OnParserError = (url: string, error: unknown) => void;

/**
 * Returns a function that logs errors with the host, but without the error message, which may quote
 * a name or a contact.
 */
export function createParserErrorLogger(log: Log): OnParserError {
  return (url, error) => {
    const { host } = new URL(url);
    const err =
      error instanceof Error
        ? { type: error.name, stack: framesOf(error) }
        : { type: typeof error };
    log.error(
      { host, err },
      'Failed to parse a registry response: parser bug. Report it with the host and the stack trace.',
    );
  };
}

/** Returns the frames of a stack trace, without the message that V8 puts before them. */
function framesOf({ stack = '', message }: Error): string {
  return stack.slice(stack.indexOf(message) + message.length).trim();
}
