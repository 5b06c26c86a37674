import type { CallToolResult, TextContent } from '@modelcontextprotocol/server';
import type { Problem } from '../../domain/problems.ts';
import { printable } from '../../shared/printable.ts';
import { problemMembers } from '../messages/problem-response.ts';

/**
 * Renders a problem as the error of a tool: as text for the model, and in `_meta` with the members
 * of REST problems for programs. It is not structured content, which clients check against the
 * output schema.
 */
export function toolError(problem: Problem): CallToolResult {
  const members = problemMembers(problem);
  const { code, detail, param, errors = [] } = members;
  const lines = [
    `${code}${param === undefined ? '' : ` (${param})`}: ${detail}`,
    ...errors.slice(1).map((other) => `${other.code} (${other.param}): ${other.detail}`),
  ];
  return { isError: true, content: [textOf(lines)], _meta: { problem: members } };
}

/** Returns lines as text. Names and registrations are texts of others: they must not add lines. */
export function textOf(lines: readonly string[]): TextContent {
  return { type: 'text', text: lines.map(printable).join('\n') };
}
