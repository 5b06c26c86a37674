import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { commandLineEnvironment, commandLineProgram } from '../../support/gateways/command-line.ts';
import { connectClient } from '../../support/requests/mcp-client.ts';
import { projectFolder } from '../../support/package/run.ts';
import { scratch } from '../../support/stores/scratch.ts';

it.each(['2026-07-28', '2025-11-25'] as const)(
  '`mcp` serves the tools of the gateway over stdio, revision %s',
  async (revision) => {
    await using folder = await scratch();
    const [command, ...entry] = commandLineProgram;
    const env = Object.entries(commandLineEnvironment(folder.path)).map(
      ([name, value = '']) => [name, value] as const,
    );
    const transport = new StdioClientTransport({
      command,
      args: [...entry, 'mcp'],
      cwd: projectFolder,
      env: Object.fromEntries(env),
    });
    await using mcp = await connectClient(transport, revision);
    const { structuredContent } = await mcp.call('check_domains', {
      names: ['taken.test', 'new.test'],
    });
    expect(structuredContent.results).toMatchObject([{ available: false }, { available: true }]);
  },
);
