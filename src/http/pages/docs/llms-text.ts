import { printedBaseUrl, withAddresses } from './guides.ts';
import { pageGroups } from './navigation.ts';
import { pageOf, type Subject } from './pages.ts';
import { referenceDescription } from './reference-page.ts';
import { markdownPath } from './markdown-page.ts';

const introduction = `# RDAP Gateway

> Checks whether domain names are available and who holds them, over GraphQL, REST and MCP. Each name is looked up at its own registry.

- \`available\` is true only if the registry proves that a name is unregistered, false if it is registered, reserved or being deleted, and null if there is no trustworthy answer. Null has a \`reason\`, and never means available.
- REST: \`${printedBaseUrl}/v1/status?domain=example.com\`. GraphQL: \`${printedBaseUrl}/graphql\`. MCP: \`${printedBaseUrl}/mcp\`.
- If the gateway requires a key, send it in \`X-API-Key\`. Names under \`.test\` are answered by a built-in sandbox and cost no credits.`;

/** The group that readers may skip (https://llmstxt.org/). */
const optionalGroup = 'Project';

/** Renders the index of the documentation in the format of https://llmstxt.org/. */
export function renderLlmsText(subject: Subject): string {
  const sections = Object.entries(pageGroups).map(([title, names]) => {
    const files = title === 'Reference' ? fileLinks(subject) : [];
    const links = names.map((name) => pageLink(name, subject));
    return [`## ${title === optionalGroup ? 'Optional' : title}`, '', ...links, ...files].join(
      '\n',
    );
  });
  return withAddresses(`${[introduction, ...sections].join('\n\n')}\n`, subject);
}

function pageLink(name: string, subject: Subject): string {
  const { title, description } =
    name === 'reference'
      ? { title: 'REST reference', description: referenceDescription }
      : pageOf(name, subject);
  return `- [${title}](${printedBaseUrl}${markdownPath(name)}): ${description}`;
}

function fileLinks({ hasSchema }: Subject): readonly string[] {
  return [
    `- [openapi.json](${printedBaseUrl}/openapi.json): The OpenAPI 3.1 description of the REST API.`,
    ...(hasSchema
      ? [`- [schema.graphql](${printedBaseUrl}/schema.graphql): The GraphQL schema.`]
      : []),
  ];
}
