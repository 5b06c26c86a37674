import * as v from 'valibot';
import { Problem, type FieldError } from '../../domain/problems.ts';
import { maxFieldErrors } from '../messages/collect-problems.ts';

/**
 * Parses the arguments of a tool. Throws a `Problem` that names each invalid argument. The messages
 * of the schema complete the sentence "… must be".
 */
export function readArguments<Schema extends v.GenericSchema>(
  schema: Schema,
  args: unknown,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, args ?? {});
  if (success) return output;
  const errors = issues.slice(0, maxFieldErrors).map(fieldErrorOf);
  const [first] = errors;
  throw new Problem(first?.code ?? 'invalid_parameter', first?.detail ?? '', {
    ...(first && { param: first.param }),
    ...(errors.length > 1 && { errors }),
  });
}

function fieldErrorOf(issue: v.BaseIssue<unknown>): FieldError {
  const param = v.getDotPath(issue) ?? 'arguments';
  if (issue.expected === 'never')
    return {
      param,
      code: 'invalid_parameter',
      detail: `${param} is not an argument of this tool.`,
    };
  if (issue.type === 'strict_object' && issue.received === 'undefined')
    return { param, code: 'missing_parameter', detail: `${param} is missing.` };
  return {
    param,
    code: param === 'max_age' ? 'invalid_max_age' : 'invalid_parameter',
    detail: `${param} must be ${issue.message}.`,
  };
}
