import {
  fromJsonSchema,
  McpServer,
  type CallToolResult,
  type JsonSchemaType,
  type ServerContext,
  type TextContent,
} from '@modelcontextprotocol/server';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { Cost } from '../../accounts/account.ts';
import { workMs } from '../../accounts/work-limit.ts';
import type { Problem } from '../../domain/problems.ts';
import type { Caller } from '../../execution/context.ts';
import type { Execution } from '../../execution/execution.ts';
import { printable } from '../../shared/printable.ts';
import { asProblem, problemMembers } from '../../server/messages/problem-response.ts';
import { eventsExtension, serveEvents, type EventHost, type EventType } from './events.ts';
import type { ErrorOptions } from '../graphql/errors.ts';
import { runQuery } from './query-graph.ts';
import { runSaved, type SavedResult, type Tool, type ToolCall } from './tool.ts';

/** What the server needs to execute the calls of one caller, however it is connected. */
export interface ToolHost extends EventHost {
  readonly caller: Omit<Caller, 'signal'>;
  /** Called with the cost of each operation. */
  readonly onCost?: (cost: Cost) => void;
}

export interface ServerOptions extends ErrorOptions {
  readonly execution: Execution;
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly events: readonly EventType[];
}

const instructions =
  'Checks whether domain names are registered, and looks up registrations, networks and AS numbers, at the registries themselves; also reads what sites publish. `available: true` is proven; `available: null` means unknown and must never be reported as available. Names under `.test` are answered by a built-in sandbox.';

/** How long clients may keep the list of tools, which only a new version of the gateway changes. */
const listTtlMs = 3_600_000;

/** The behaviour that tools declare, unless they have another one: they only read, from registries on the internet. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** Returns a function that creates an MCP server with its tools for a caller. */
export function createServerFactory(options: ServerOptions): (host: ToolHost) => McpServer {
  const { version, events } = options;
  const tools = options.tools.map((tool) => ({
    tool,
    config: {
      title: tool.title,
      description: tool.description,
      inputSchema: advertised(jsonSchemaOf(tool.input)),
      outputSchema: advertised(tool.output),
      annotations: { ...annotations, ...tool.annotations },
    },
  }));
  const types = events.map((type) => ({
    type,
    listed: {
      name: type.name,
      description: type.description,
      delivery: ['poll', 'push'],
      inputSchema: jsonSchemaOf(type.input),
      payloadSchema: jsonSchemaOf(type.payload),
    },
  }));

  return (host) => {
    const server = new McpServer(
      { name: 'rdap-gateway', title: 'RDAP Gateway', version },
      {
        capabilities: { tools: { listChanged: false }, extensions: eventsExtension },
        cacheHints: { 'tools/list': { ttlMs: listTtlMs, cacheScope: 'public' } },
        instructions,
      },
    );

    for (const { tool, config } of tools)
      server.registerTool(tool.name, config, (args, context) =>
        respond(tool, args, callOf(context, host, options), host),
      );
    serveEvents(server, types, host);

    return server;
  };
}

/**
 * Returns a schema that the SDK advertises and does not check: the tools validate their arguments
 * themselves, because their problems name the argument at fault.
 */
function advertised(schema: JsonSchemaType) {
  return fromJsonSchema<unknown>(schema, {
    getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
  });
}

/**
 * Returns a schema in the dialect that is MCP's default. Clients forward schemas to models whose API
 * rejects `$schema` and `additionalProperties`.
 */
function jsonSchemaOf(schema: v.GenericSchema): JsonSchemaType {
  const { $schema: _dialect, ...json } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    overrideSchema: ({ jsonSchema: { additionalProperties: _none, ...others } }) => others,
  });
  return json as JsonSchemaType;
}

function callOf(
  context: ServerContext,
  { caller, onCost }: ToolHost,
  options: ServerOptions,
): ToolCall {
  const { signal } = context.mcpReq;
  const { execution } = options;
  const reported = async (running: Promise<SavedResult>) => {
    const result = await running;
    if (result.cost) onCost?.(result.cost);
    return result;
  };

  return {
    execute: (call) => reported(runSaved(execution, call, caller, signal)),
    query: (query) => reported(runQuery(execution, query, caller, signal, options)),
    priceOf: (query) => execution.listPrice(query),
    spendWork: (names) => caller.work.spend(workMs.names(names)),
    ...progressOf(context),
  };
}

async function respond(
  tool: Tool,
  args: unknown,
  call: ToolCall,
  host: ToolHost,
): Promise<CallToolResult> {
  try {
    const { structured, lines } = await tool.run(args, call);
    return { content: [textOf(lines)], structuredContent: structured };
  } catch (error) {
    const problem = asProblem(error);
    host.onProblem(problem);

    return toolError(problem);
  }
}

function progressOf({ mcpReq }: ServerContext): Pick<ToolCall, 'reportProgress'> {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return {};

  return {
    reportProgress(progress, total, message) {
      const params = { progressToken, progress, total, message: printable(message) };
      // Rejects if the client has disconnected. The call is then cancelled.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

/**
 * Renders a problem as the error of a tool: as text for the model, and in `_meta` with the members
 * of REST problems for programs. It is not structured content, which clients check against the
 * output schema.
 */
function toolError(problem: Problem): CallToolResult {
  const members = problemMembers(problem);
  const { code, detail, param, errors = [] } = members;
  const lines = [
    `${code}${param === undefined ? '' : ` (${param})`}: ${detail}`,
    ...errors.slice(1).map((other) => `${other.code} (${other.param}): ${other.detail}`),
  ];

  return { isError: true, content: [textOf(lines)], _meta: { problem: members } };
}

/** Returns lines as text. Names and registrations are texts of others: they must not add lines. */
function textOf(lines: readonly string[]): TextContent {
  return { type: 'text', text: lines.map(printable).join('\n') };
}
