import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AgentDefinition, includesTool } from '../../../src/main/engine/agents/definitions';
import { readAgentFile } from '../../../src/main/engine/agents/read-agents';
import { createNodeFiles } from '../../../src/main/node/files';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lathe-agents-'));
});
afterEach(() => rm(root, { recursive: true }));

/** Reads one definition of a user. */
async function readOne(text: string) {
  const path = join(root, 'x.md');
  await writeFile(path, text);
  const files = createNodeFiles();
  const found = await files.stat(path);
  if (!found.ok) throw new Error(found.error.message);
  const read = await readAgentFile(files, { path, name: 'x.md', stat: found.value }, 'user');
  return { own: read.definitions[0] ?? null, problems: read.problems };
}

it.each([
  ['disallowed-tools: Bash', ['Bash']],
  ['disallowed_tools: [Bash, Read]', ['Bash', 'Read']],
  ['deniedTools: Bash', ['Bash']],
  ['deny: Bash', ['Bash']],
  ['DisallowedTools: Bash', ['Bash']],
  ['disallowedTools: Read\ndisalowedTools: Bash', ['Read', 'Bash']],
  ['disallowedTools: Bash Read', ['Bash', 'Read']],
  ['disallowedTools: ["Bash(rm *"]', ['Bash']],
  ['disallowedTools: bash, READ', ['Bash', 'Read']],
  ['disallowedTools: Web*', ['Web*']],
])('loses tools under other names of the field, and of the tools: %s', async (line, taken) => {
  const { own } = await readOne(`---\nname: x\ndescription: y\n${line}\n---\nDo it.`);
  expect(own?.disallowedTools).toEqual(taken);
});

it.each(['"disallowedTools": Bash', 'deny: 5'])(
  'is none where its denials cannot be read: %s',
  async (line) => {
    const text = `---\nname: x\ndescription: y\n${line}\n---\nDo it.`;
    const { own, problems } = await readOne(text);
    expect(own).toBeNull();
    expect(problems).not.toEqual([]);
  },
);

const plain: AgentDefinition = { name: 'x', description: '', prompt: '', source: 'user' };

it.each<[Partial<AgentDefinition>, string, boolean]>([
  [{ disallowedTools: ['mcp__files__'] }, 'mcp__files__read', false],
  [{ disallowedTools: ['mcp__my.files'] }, 'mcp__my_files__read', false],
  [{ disallowedTools: ['mcp__files__re*'] }, 'mcp__files__read', false],
  [{ disallowedTools: ['mcp__files'] }, 'mcp__files_more__read', true],
  [{ disallowedTools: ['Web*'] }, 'WebFetch', false],
  [{ disallowedTools: ['Edit'] }, 'Write', true],
])('%j: %s %s', (fields, tool, offered) => {
  expect(includesTool({ ...plain, ...fields }, tool)).toBe(offered);
});
