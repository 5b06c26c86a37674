import * as v from 'valibot';
import { parseEntry, splitEntry } from '../../domain/parsed-name.ts';
import { Problem } from '../../domain/problems.ts';
import { readParameter } from '../messages/parameters.ts';
import type { ToolCall } from './tool.ts';

/** Adds to the detail of a text that is not a name what to call with instead, if that is clear. */
export function corrected(detail: string, text: string, registrableName: string | null): string {
  if (/Did you mean|instead\.$/.test(detail)) return detail;
  if (registrableName !== null) return `${detail} Call again with the name ${registrableName}.`;
  const plain = text
    .replaceAll(/[!?'",]/g, '')
    .trim()
    .replaceAll(/[\s_&]+/g, '-');
  const hasTld = plain.includes('.');
  const { domain, ...failed } = parseEntry(hasTld ? plain : `${plain}.com`);
  if ('problem' in failed) return detail;
  return hasTld
    ? `${detail} Call again with the name ${domain}.`
    : `${detail} Call check_domains with label ${splitEntry(domain).label} and tlds.`;
}

const owners = v.object({
  domains: v.tuple([v.object({ registrable_name: v.nullable(v.string()) })]),
});

/** Parses an argument with a name. Rejects with a problem that says what to call with instead. */
export async function readName<T>(
  param: string,
  text: string,
  parse: (text: string) => T,
  call: ToolCall,
): Promise<T> {
  try {
    return readParameter(param, () => parse(text));
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'invalid_name')) throw error;
    const variables = { domains: [text] };
    const { data } = await call.execute({ operation: 'correct', mode: 'buffered', variables });
    const [{ registrable_name: name }] = v.parse(owners, data).domains;
    throw new Problem(error.code, corrected(error.message, text, name), { param });
  }
}
