import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { projectFolder } from './run.ts';

export interface Step {
  /** `FROM`, `COPY` … */
  readonly instruction: string;
  /** What follows, flags included, on one line. */
  readonly text: string;
}

export const dockerfileText = readFileSync(join(projectFolder, 'Dockerfile'), 'utf8');

/** The stages of the Dockerfile, and the steps of each in order, its FROM first. */
export function dockerfileStages(): readonly (readonly Step[])[] {
  const stages: Step[][] = [];
  for (const each of DockerfileParser.parse(dockerfileText).getInstructions()) {
    const instruction = each.getKeyword();
    if (instruction === 'FROM') stages.push([]);
    stages.at(-1)?.push({
      instruction,
      text: each
        .getTextContent()
        .slice(instruction.length)
        .trim()
        .replace(/\s*\\\n\s*/g, ' '),
    });
  }
  return stages;
}

/** What the final image runs, and how. */
export function imageSettings() {
  const last = dockerfileStages().at(-1) ?? [];
  const textsOf = (wanted: string) =>
    last.filter(({ instruction }) => instruction === wanted).map(({ text }) => text);
  return {
    environment: Object.fromEntries(
      textsOf('ENV').map((text) => text.split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>,
    command: words(textsOf('CMD').at(-1)),
    healthcheck: words(/CMD (\[.*\])$/.exec(textsOf('HEALTHCHECK').at(-1) ?? '')?.[1]),
    user: textsOf('USER').at(-1),
    ports: textsOf('EXPOSE'),
  };
}

/** The exec form: what is not a JSON array would be given to a shell, which keeps signals to itself. */
const words = (text = ''): readonly string[] => JSON.parse(text);
