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
import type { Problem } from '../../domain/problems.ts';
import { printable } from '../../shared/printable.ts';
import { asProblem, problemMembers } from '../../server/messages/problem-response.ts';
import { eventsExtension, serveEvents, type EventHost, type EventType } from './events.ts';
import type { GraphQuery, SavedCall, SavedResult, Tool, ToolCall } from './tool.ts';

/** What the server needs to execute the calls of one caller, however it is connected. */
export interface ToolHost extends Pick<ToolCall, 'spendWork' | 'priceOf'>, EventHost {
  /** Runs a saved operation on behalf of the caller. Rejects with a `Problem`. */
  execute(call: SavedCall, signal: AbortSignal): Promise<SavedResult>;
  /** Runs a query of an agent on behalf of the caller. Rejects with a `Problem`. */
  query(query: GraphQuery, signal: AbortSignal): Promise<SavedResult>;
  /** Called with the problem of each call that fails. */
  onProblem(problem: Problem): void;
}

export interface ServerOptions {
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
export function createServerFactory({
  version,
  tools: all,
  events,
}: ServerOptions): (host: ToolHost) => McpServer {
  const tools = all.map((tool) => ({
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
      server.registerTool(tool.name, config, (args, context) => respond(tool, args, context, host));
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

async function respond(
  tool: Tool,
  args: unknown,
  context: ServerContext,
  host: ToolHost,
): Promise<CallToolResult> {
  const { signal } = context.mcpReq;
  try {
    const { structured, lines } = await tool.run(args, {
      execute: (call) => host.execute(call, signal),
      priceOf: (query) => host.priceOf(query),
      query: (query) => host.query(query, signal),
      spendWork: (names) => host.spendWork(names),
      ...progressOf(context),
    });
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
