/** How old an answer says that it is (RFC 9111 section 5.1), in seconds: something on the way may have kept it. 0 where it says nothing. */
export function ageSeconds(header: string | undefined): number {
  const text = header?.trim() ?? '';
  return /^\d+$/.test(text) ? Math.min(Number(text), longest) : 0;
}

/** As RFC 9111 section 1.2.2 has it for what is too large. */
const longest = 2 ** 31;
