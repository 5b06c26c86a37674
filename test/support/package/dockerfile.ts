import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser } from 'dockerfile-ast';
import { projectFolder } from './run.ts';

/** An instruction of the Dockerfile. */
export interface Step {
  /** `FROM`, `COPY` … */
  readonly instruction: string;
  /** The rest of the instruction, including flags, on one line. */
  readonly text: string;
}

export const dockerfileText = readFileSync(join(projectFolder, 'Dockerfile'), 'utf8');

/** Returns the instructions of each stage of the Dockerfile, starting with its FROM. */
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

/** Returns the settings of the final image. */
export function imageSettings() {
  const last = dockerfileStages().at(-1) ?? [];
  const textsOf = (keyword: string) =>
    last.filter(({ instruction }) => instruction === keyword).map(({ text }) => text);
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

/** Parses the exec form. Any other form would run in a shell, which does not forward signals. */
const words = (text = ''): readonly string[] => JSON.parse(text);
