import { markdownPath, pageGroups, printedBaseUrl, type Guide } from './guides.ts';

const introduction = `# RDAP Gateway

> Checks whether domain names are available and who holds them, over GraphQL, REST and MCP. Each name is looked up at its own registry.

- \`available\` is true only if the registry proves that a name is unregistered, false if it is registered, reserved or being deleted, and null if there is no trustworthy answer. Null has a \`reason\`, and never means available.
- REST: \`${printedBaseUrl}/v1/status?domain=example.com\`. GraphQL: \`${printedBaseUrl}/graphql\`. MCP: \`${printedBaseUrl}/mcp\`.
- If the gateway requires a key, send it in \`X-API-Key\`. Names under \`.test\` are answered by a built-in sandbox and cost no credits.`;

/** The group that readers may skip (https://llmstxt.org/). */
const optionalGroup = 'Project';

/** Renders the index of the documentation in the format of https://llmstxt.org/. */
export function renderLlmsText(guides: readonly Guide[], hasSchema: boolean): string {
  const sections = Object.entries(pageGroups).map(([title, names]) => {
    const files = title === 'Reference' ? fileLinks(hasSchema) : [];
    const links = guides.filter(({ name }) => names.includes(name)).map(pageLink);
    return [`## ${title === optionalGroup ? 'Optional' : title}`, '', ...links, ...files].join(
      '\n',
    );
  });
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

function pageLink({ name, title, description }: Guide): string {
  return `- [${title}](${printedBaseUrl}${markdownPath(name)}): ${description}`;
}

function fileLinks(hasSchema: boolean): readonly string[] {
  return [
    `- [openapi.json](${printedBaseUrl}/openapi.json): The OpenAPI 3.1 description of the REST API.`,
    ...(hasSchema
      ? [`- [schema.graphql](${printedBaseUrl}/schema.graphql): The GraphQL schema.`]
      : []),
  ];
}
