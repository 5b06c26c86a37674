/** A file of a site. */
interface SiteFile {
  readonly type: string;
  readonly body: string;
}

/** Returns the files of a complete site by path, except for its home page and robots.txt. */
export function signalFiles(
  domain: string,
  origin: string,
): Readonly<Record<string, SiteFile | undefined>> {
  const endpoint = `${origin}/mcp`;
  const card = {
    serverInfo: { name: 'sandbox-shop', version: '1.0.0' },
    transport: { type: 'streamable-http', endpoint },
  };
  return {
    '/site.webmanifest': json({ name: 'Sandbox shop', icons: [], start_url: '/' }),
    '/sitemap.xml': {
      type: 'application/xml',
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`,
    },
    '/sitemap.md': markdown(`# Pages\n\n- [Home](${origin}/)\n`),
    '/llms.txt': { type: 'text/plain', body: `# Sandbox shop\n\n> A sandbox site at ${domain}.\n` },
    '/AGENTS.md': markdown('# For agents\n\nThis site is part of the sandbox.\n'),
    '/openapi.json': json({
      openapi: '3.1.0',
      info: { title: 'Sandbox', version: '1' },
      paths: {},
    }),
    '/.well-known/api-catalog': json(
      { linkset: [{ anchor: origin, 'service-desc': [{ href: `${origin}/openapi.json` }] }] },
      'application/linkset+json',
    ),
    '/.well-known/mcp.json': json(card),
    '/.well-known/mcp/server-card.json': json(card),
    '/.well-known/agent-skills/index.json': json({
      skills: [{ name: 'search', type: 'skill-md', description: 'Searches the sandbox.' }],
    }),
  };
}

function json(value: unknown, type = 'application/json'): SiteFile {
  return { type, body: JSON.stringify(value) };
}

function markdown(body: string): SiteFile {
  return { type: 'text/markdown; charset=utf-8', body };
}
