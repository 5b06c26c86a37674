import { account } from '../api/mcp/account.ts';
import { checkDomains, type CheckOptions } from '../api/mcp/check-domains.ts';
import { listTlds } from '../api/mcp/list-tlds.ts';
import { lookupDomain } from '../api/mcp/lookup-domain.ts';
import { lookupObject } from '../api/mcp/lookup-object.ts';
import type { Tool } from '../api/mcp/tool.ts';
import { inspectSite } from '../sites/inspect-site.ts';

/** Returns the tools of the MCP server. HTTP and stdio have the same ones. */
export function mcpTools(options: CheckOptions): readonly Tool[] {
  return [checkDomains(options), lookupDomain, lookupObject, inspectSite, listTlds, account];
}
