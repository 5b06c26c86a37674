import type { JsonObject } from '../../../domain/registration.ts';
import type { ProblemCode } from '../../../domain/problems.ts';
import type { ParameterName } from './parameters.ts';

/** The parts of an operation that differ between operations. */
export interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'Names' | 'TLDs' | 'Sites';
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  readonly problems: readonly ProblemCode[];
  readonly requestBody?: JsonObject;
  /** Description of the 200 response. */
  readonly success: string;
  /** Body of the 200 response. JSON only: generated clients turn several media types into a union. */
  readonly content: { readonly 'application/json': JsonObject };
  /**
   * Streaming alternatives of the 200 response, by media type, with the schema of an item as in
   * OpenAPI 3.2.
   */
  readonly streams?: JsonObject;
  /** Other alternatives of the 200 response, by media type. */
  readonly alternatives?: JsonObject;
  readonly curl: string;
}

/** Operations by method and path. */
export type OperationDescriptions = Readonly<
  Record<`${'GET' | 'POST'} /v1/${string}`, OperationDescription>
>;

/** The base URL in `schema/openapi.json`; a running gateway replaces it with its own. */
export const defaultBaseUrl = 'http://127.0.0.1:4000';
