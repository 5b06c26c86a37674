// The npm package: `import { createGateway } from 'rdap-graphql-gateway'`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { createMountedApp } from './app.ts';
import { readConfig, variableNames, ConfigError, type ConfigInput } from './config.ts';
import type { OperationRequest } from './api/graphql/in-process.ts';

export { baseSchema as schema } from './app/schema.ts';
export { ConfigError, type OperationRequest };

/**
 * The configuration variables. Values are written as in the environment; numbers and lists may be
 * numbers and arrays.
 */
export type GatewayOptions = ConfigInput;

/** A gateway in this process, for servers that this process runs. */
export interface Gateway extends AsyncDisposable {
  /**
   * Responds to a request of `node:http`, Express or Fastify. Mount it before middleware that reads
   * request bodies.
   */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Executes a GraphQL operation without HTTP, keys and credits: an executor for schema stitching.
   * Resolves to a result, or to the results of a subscription. Problems are errors of the result.
   */
  readonly execute: (
    request: OperationRequest,
  ) => Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void, void>>;
  /** Finishes the requests in flight (10 s at most) and closes the stores. */
  close(): Promise<void>;
}

/**
 * Opens a gateway that does not listen. Reads nothing from the environment. Rejects with
 * `ConfigError` if an option is invalid, or the store cannot be opened.
 */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const {
    server,
    execute,
    [Symbol.asyncDispose]: dispose,
  } = await createMountedApp(readConfig(toVariables(options)));
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= Promise.resolve(dispose()));

  return {
    handle: (request, response) => server.handle(request, response),
    execute,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Writes options as in the environment. Throws `ConfigError` for an unknown one. */
function toVariables(options: GatewayOptions): Record<string, string> {
  const names = variableNames();
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name))
      throw new ConfigError(`${name} is not an option. The options are ${names.join(', ')}.`);
    if (value !== undefined) variables[name] = String(value);
  }

  return variables;
}
