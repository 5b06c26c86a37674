import * as v from 'valibot';

const parameterShape = v.object({
  name: v.string(),
  in: v.string(),
  required: v.optional(v.boolean(), false),
  deprecated: v.optional(v.boolean(), false),
  description: v.optional(v.string(), ''),
});

const documentShape = v.object({
  paths: v.record(
    v.string(),
    v.record(
      v.string(),
      v.object({
        summary: v.string(),
        description: v.optional(v.string(), ''),
        tags: v.array(v.string()),
        parameters: v.optional(
          v.array(v.union([v.object({ $ref: v.string() }), parameterShape])),
          [],
        ),
        responses: v.record(v.string(), v.object({ description: v.optional(v.string(), '') })),
      }),
    ),
  ),
  components: v.object({ parameters: v.record(v.string(), parameterShape) }),
});

type Document = v.InferOutput<typeof documentShape>;
type Operation = Document['paths'][string][string];

/** Renders the implemented endpoints of the OpenAPI document as Markdown. */
export function referenceMarkdown(openapi: unknown): string {
  const document = v.parse(documentShape, openapi);
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      endpoint(`${method.toUpperCase()} ${path}`, operation, document),
    ),
  );
  const introduction =
    'This page lists every endpoint, parameter and response of the REST API. [openapi.json](../../schema/openapi.json) also describes the bodies, and `/docs/reference` of a running gateway has a form that sends requests.';

  return `${['# REST reference', introduction, ...endpoints].join('\n\n')}\n`;
}

function endpoint(
  title: string,
  { summary, description, parameters, responses }: Operation,
  { components }: Document,
): string {
  const known = parameters.flatMap((parameter) =>
    '$ref' in parameter
      ? (components.parameters[parameter.$ref.split('/').at(-1) ?? ''] ?? [])
      : parameter,
  );
  return [
    `## ${title}`,
    `${summary}. ${description}`,
    ...list(
      'Parameters',
      known
        .filter(({ deprecated }) => !deprecated)
        .map(
          ({ name, in: place, required, description: text }) =>
            `\`${name}\` (${place}${required ? ', required' : ''}): ${text}`,
        ),
    ),
    ...list(
      'Responses',
      Object.entries(responses).map(([status, { description: text }]) => `${status}: ${text}`),
    ),
  ].join('\n\n');
}

function list(title: string, items: readonly string[]): readonly string[] {
  const lines = items.map((item) => `- ${item.replaceAll(/\s*\n\s*/g, ' ')}`);
  return lines.length === 0 ? [] : [`${title}:`, lines.join('\n')];
}
