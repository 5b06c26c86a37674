import { getSystemErrorMessage } from 'node:util';

/** Returns what an error of the file system or of a parser says, as a part of a line for users. */
export function reasonOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  // A syntax error quotes lines of the file.
  return errno === undefined
    ? String(error)
        .replace(/^Error: /, '')
        .replaceAll(/\s+/g, ' ')
    : getSystemErrorMessage(errno);
}
