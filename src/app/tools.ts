import { account } from '../api/mcp/account.ts';
import { createReceipt } from '../api/mcp/create-receipt.ts';
import { checkDomains, type CheckOptions } from '../api/mcp/check-domains.ts';
import { listTlds } from '../api/mcp/list-tlds.ts';
import { lookupDomain } from '../api/mcp/lookup-domain.ts';
import { lookupObject } from '../api/mcp/lookup-object.ts';
import { queryGraph } from '../api/mcp/query-graph.ts';
import { searchSchema } from '../api/mcp/search-schema.ts';
import type { Tool } from '../api/mcp/tool.ts';
import { schema } from './schema.ts';
import { inspectSite } from '../sites/inspect-site.ts';

interface ToolOptions extends CheckOptions {
  /** Whether clients may query the schema, and so search it. */
  readonly allowIntrospection?: boolean;
}

/** Returns the tools of the MCP server. HTTP and stdio have the same ones. */
export function mcpTools({ allowIntrospection = true, ...options }: ToolOptions): readonly Tool[] {
  return [
    checkDomains(options),
    lookupDomain,
    lookupObject,
    inspectSite,
    listTlds,
    ...(allowIntrospection ? [searchSchema(schema)] : []),
    queryGraph,
    createReceipt,
    account,
  ];
}
