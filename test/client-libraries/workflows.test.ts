import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';
import { expect, it } from 'vitest';
import { projectFolder } from '../support/package/run.ts';

async function errorsIn(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

it.each(globSync('.github/workflows/*.yml', { cwd: projectFolder }))(
  '%s is a workflow that GitHub accepts',
  async (path) => {
    const content = readFileSync(join(projectFolder, path), 'utf8');
    expect(await errorsIn(path, content)).toEqual([]);
    const misspelled = content.replace('runs-on:', 'run-on:');
    expect(await errorsIn(path, misspelled)).not.toEqual([]);
  },
);
