import type { JsonObject } from '../../src/domain/registration.ts';
import type { ProblemCode } from '../../src/domain/problems.ts';
import type { ParameterName } from './parameters.ts';

/** What distinguishes an operation from the others. */
export interface OperationDescription {
  readonly operationId: string;
  readonly tag: 'Names' | 'TLDs';
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  readonly problems: readonly ProblemCode[];
  readonly requestBody?: JsonObject;
  /** What the body of a 200 response says. */
  readonly success: string;
  /** The body of a 200 response, by media type: JSON alone, as generated clients make a union of several types. */
  readonly content: { readonly 'application/json': JsonObject };
  /** Sequences of JSON values that a 200 response may also be, by media type, with the schema of an item as in OpenAPI 3.2. */
  readonly streams?: JsonObject;
  readonly curl: string;
}

/** The operations, by method and path. */
export type OperationDescriptions = Readonly<
  Record<`${'GET' | 'POST'} /v1/${string}`, OperationDescription>
>;

// As printed; the gateway that serves the document puts its own address in its place.
export const defaultBaseUrl = 'http://127.0.0.1:4000';
