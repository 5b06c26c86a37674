import type { Log } from '../../log.ts';

/** Receives an error of our parser, and the URL of the server whose response it failed to read. Clients see a failure of the registry. */
export type OnParserError = (url: string, error: unknown) => void;

/** Logs each error with the host and without the error's message, which may quote a name or a contact. */
export function createParserErrorLogger(log: Log): OnParserError {
  return (url, error) => {
    const { host } = new URL(url);
    const err =
      error instanceof Error
        ? { type: error.name, stack: framesOf(error) }
        : { type: typeof error };
    log.error({ host, err }, 'the gateway failed at reading what a registry sent');
  };
}

/** Returns the frames of a stack trace, before which V8 writes the message. */
function framesOf({ stack = '', message }: Error): string {
  return stack.slice(stack.indexOf(message) + message.length).trim();
}
