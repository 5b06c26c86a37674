import Negotiator from 'negotiator';
import { json } from './media-types.ts';

const problemJson = 'application/problem+json';

/** Returns the media type of a problem: that of RFC 9457, except for a client that accepts `application/json` and nothing more general. */
export function problemMediaType(accept: string | undefined): string {
  if (accept === undefined) return problemJson;
  const accepted = new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes();
  const acceptsProblems = [problemJson, 'application/*', '*/*'].some((media) => accepted.includes(media));
  return accepted.includes('application/json') && !acceptsProblems ? json : problemJson;
}
