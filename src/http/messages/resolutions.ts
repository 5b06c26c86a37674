import type { ProblemCode } from '../../domain/problems.ts';
import texts from './resolutions.json' with { type: 'json' };

/** How a client fixes each problem, in a sentence or two. */
export const resolutions: Readonly<Record<ProblemCode, string>> = texts;
