import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Problem } from '../../domain/problems.ts';
import { problemMembers } from '../response/problem-response.ts';

/**
 * Renders a problem as the error of a tool: as text for the model, and in `_meta` with the members
 * of REST problems for programs. It is not structured content, which clients check against the
 * output schema.
 */
export function toolError(problem: Problem): CallToolResult {
  const members = problemMembers(problem);
  const { code, detail, param, errors = [] } = members;
  const text = [
    `${code}${param === undefined ? '' : ` (${param})`}: ${detail}`,
    ...errors.slice(1).map((other) => `${other.code} (${other.param}): ${other.detail}`),
  ].join('\n');
  return { isError: true, content: [{ type: 'text', text }], _meta: { problem: members } };
}
