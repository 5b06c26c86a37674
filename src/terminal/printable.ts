/** Replaces control characters, which could change the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '�');
}
