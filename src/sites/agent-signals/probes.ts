import type { AgentSignalName } from './agent-signals.ts';
import {
  detectMarkdownFile,
  detectLlmsTxt,
  detectMarkdownPage,
  detectOpenApi,
  type Detect,
} from './text-forms.ts';
import {
  detectApiCatalog,
  detectAuthorizationServer,
  detectKeyDirectory,
  detectMcpDescription,
  detectProtectedResource,
  detectServerCard,
  detectServerCardCatalog,
  detectSkillIndex,
} from './json-forms.ts';

/** A request that may detect a signal. */
export interface Probe {
  readonly path: string;
  /** The media types that are accepted. */
  readonly accept: string;
  /** Returns the evidence that a successful response contains; undefined if there is none. */
  readonly detect: Detect;
}

const json = 'application/json, */*;q=0.1';
const text = 'text/markdown, text/plain, */*;q=0.1';

/**
 * The requests of each signal, in the order in which they are sent until one detects it. Sources:
 * SEP-1649 and SEP-2127 (MCP), RFC 9727 (API catalogues), RFC 8414 and RFC 9728 (OAuth),
 * the draft on directories of HTTP message signatures, version 0.2.0 of Agent Skills Discovery and its
 * predecessor, llmstxt.org and agents.md.
 */
export const probes: Readonly<Record<Exclude<AgentSignalName, 'webmcp'>, readonly Probe[]>> = {
  remote_mcp: [
    { path: '/.well-known/mcp.json', accept: json, detect: detectMcpDescription },
    { path: '/.well-known/mcp', accept: json, detect: detectMcpDescription },
  ],
  openapi: [
    { path: '/openapi.json', accept: json, detect: detectOpenApi },
    { path: '/.well-known/openapi.json', accept: json, detect: detectOpenApi },
    { path: '/openapi.yaml', accept: 'application/yaml, */*;q=0.1', detect: detectOpenApi },
  ],
  llms_txt: [{ path: '/llms.txt', accept: text, detect: detectLlmsTxt }],
  api_catalog: [
    {
      path: '/.well-known/api-catalog',
      accept: 'application/linkset+json',
      detect: detectApiCatalog,
    },
  ],
  mcp_server_card: [
    { path: '/.well-known/mcp/server-card.json', accept: json, detect: detectServerCard },
    { path: '/.well-known/mcp-server-card', accept: json, detect: detectServerCard },
    { path: '/mcp/server-card', accept: json, detect: detectServerCard },
    { path: '/.well-known/ai-catalog.json', accept: json, detect: detectServerCardCatalog },
  ],
  agent_skills: [
    { path: '/.well-known/agent-skills/index.json', accept: json, detect: detectSkillIndex },
    { path: '/.well-known/skills/index.json', accept: json, detect: detectSkillIndex },
  ],
  oauth: [
    {
      path: '/.well-known/oauth-authorization-server',
      accept: json,
      detect: detectAuthorizationServer,
    },
    {
      path: '/.well-known/oauth-protected-resource',
      accept: json,
      detect: detectProtectedResource,
    },
  ],
  markdown: [{ path: '/', accept: 'text/markdown', detect: detectMarkdownPage }],
  web_bot_auth: [
    {
      path: '/.well-known/http-message-signatures-directory',
      accept: 'application/http-message-signatures-directory+json',
      detect: detectKeyDirectory,
    },
  ],
  sitemap_markdown: [{ path: '/sitemap.md', accept: text, detect: detectMarkdownFile }],
  agent_guide: [
    { path: '/AGENTS.md', accept: text, detect: detectMarkdownFile },
    { path: '/agents.md', accept: text, detect: detectMarkdownFile },
  ],
};

/** The number of requests if no signal is detected. */
export const maxProbes = Object.values(probes).flat().length;
