import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modeOfAgent } from '../../../src/main/engine/agents/agent-fields';
import { createAgentStore } from '../../../src/main/engine/agents/agent-store';
import {
  type AgentDefinition,
  BUILT_IN_AGENTS,
  includesTool,
} from '../../../src/main/engine/agents/definitions';
import { readGivenAgents } from '../../../src/main/engine/agents/read-agents';
import { resolveModel } from '../../../src/main/engine/model/catalog';
import { createNodeFiles } from '../../../src/main/node/files';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lathe-agents-'));
});
afterEach(() => rm(root, { recursive: true }));

const put = async (name: string, text: string) => {
  const file = join(root, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
};
const project = () => join(root, 'project');

const storeOf = (trusted = true, given?: ReturnType<typeof readGivenAgents>) =>
  createAgentStore(
    createNodeFiles(),
    () => ({
      project: project(),
      userFolder: join(root, 'user'),
      managedFile: join(root, 'managed', 'CLAUDE.md'),
      includeProject: trusted,
      includeFiles: true,
    }),
    given,
    (name) => resolveModel(name, {}).ok,
  );

/** Reads one file of a project and gives its agent and the problems without the path. */
async function readOne(text: string) {
  const file = await put('project/.claude/agents/x.md', text);
  const store = storeOf();
  await store.refresh();
  const own = store.list().find((one) => one.file === file) ?? null;
  return {
    own,
    problems: store.problems().map(({ message, line, level }) => ({
      message: message.replace(file, 'x.md'),
      line,
      level,
    })),
  };
}

describe('a definition', () => {
  it('says with every field what the agent is', async () => {
    const { own, problems } = await readOne(`---
name: reviewer
description: Use this: after each change. # not before
tools: Read, Grep, mcp__files
disallowedTools: [Bash]
model: inherit
permissionMode: plan
maxTurns: 7
skills:
  - style
mcpServers:
  - files
  - notes: { command: node, args: [notes.js] }
hooks:
  Stop:
    - hooks: [{type: command, command: echo done}]
memory: project
background: true
effort: high
color: green
isolation: worktree
initialPrompt: Begin.
---
You review.
`);
    expect(problems).toEqual([]);
    expect(own).toMatchObject({
      name: 'reviewer',
      description: 'Use this: after each change. # not before',
      prompt: 'You review.',
      source: 'project',
      tools: ['Read', 'Grep', 'mcp__files'],
      disallowedTools: ['Bash'],
      permissionMode: 'plan',
      maxTurns: 7,
      skills: ['style'],
      mcpServers: ['files', 'notes'],
      ownServers: [{ name: 'notes', command: 'node', args: ['notes.js'], alwaysLoad: false }],
      memory: 'project',
      background: true,
      isolation: 'worktree',
      effort: 'high',
      color: 'green',
      initialPrompt: 'Begin.',
    });
    expect(own?.model).toBeUndefined();
    expect(own?.hooks?.map(({ event, run }) => [event, run])).toEqual([['Stop', 'echo done']]);
  });

  it.each([
    ['a number of tools', 'tools: 5', 'x.md, line 4: tools: names of tools', 4],
    [
      'a field that is near to one',
      'tool: Read',
      'there is no such field (did you mean "tools"?)',
      4,
    ],
    ['a loose mode', 'permissionMode: bypassPermissions', 'permissionMode: bypassPermissions', 4],
    ['a mode that is none', 'permissionMode: wild', 'permissionMode: one of', 4],
    ['no number of turns', 'maxTurns: 0', 'maxTurns: a whole number', 4],
    ['text for a switch', 'background: maybe', 'background: true or false', 4],
    ['a part of a tool', 'tools: Bash(git *)', 'tools: Bash(git *) counts as Bash', 4],
    [
      'a server without a command',
      'mcpServers: [{ own: { args: [] } }]',
      'own.command: a command',
      4,
    ],
    ['a server that is none', 'mcpServers: [5]', 'mcpServers: names of servers, or', 4],
    ['a colour that is none', 'color: beige', 'color: one of red, blue', 4],
    ['an isolation that is none', 'isolation: jail', 'isolation: "worktree" is expected', 4],
    ['hooks that are a list', 'hooks: [a]', 'hooks: an object of events is expected', 4],
    ['an event that is none', 'hooks: { Nope: [] }', 'there is no such event', 4],
    ['a name that is no field', '"hooks": 1', 'hooks: this is no name of a field', 4],
    [
      'a tool that there is not',
      'tools: Bash, Raed',
      'tools: there is no tool Raed (is Read meant?); the agent goes without it',
      4,
    ],
    [
      'nothing to take away',
      'disallowedTools: [Nope]',
      'disallowedTools: there is no tool Nope; this takes nothing away',
      4,
    ],
    [
      'a model that there is not',
      'model: gpt-9',
      'model: there is no model "gpt-9"; the model of the session is used',
      4,
    ],
    ['bad YAML', 'tools: [a\n  b: c: d', 'so there is no agent "', 4],
  ])('with %s is told by file and line', async (_, line, words, at) => {
    const { problems } = await readOne(`---\nname: x\ndescription: y\n${line}\n---\nDo it.`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('x.md');
    expect(problems[0]?.message).toContain(words);
    expect(problems[0]).toMatchObject({ level: 'warning', line: at });
  });

  it.each([
    ['AGT-002', '---\nname: x\ndescription: y\ntools: 5\n---\n', 'tools', null],
    [
      'AGT-001',
      '---\nname: x\ndescription: y\npermissionMode: bypassPermissions\n---\n',
      'permissionMode',
      undefined,
    ],
  ])('keeps to the sample %s', async (_, text, mentioned, mode) => {
    const { own, problems } = await readOne(text);
    expect(problems.map(({ level }) => level)).toEqual(['warning']);
    expect(problems[0]?.message).toContain(mentioned);
    // One whose tools cannot be read is not there; one that wants to be freer has no mode of its own.
    expect(own === null ? null : own.permissionMode).toBe(mode);
  });

  it('whose model is not there has none of its own; names that may be there are not told', async () => {
    const fields = 'name: x\ndescription: y\ntools: Task, mcp__files__read, LS';
    expect((await readOne(`---\n${fields}\nmodel: opsu\n---\nDo it.`)).own?.model).toBeUndefined();
    const { own, problems } = await readOne(`---\n${fields}\nmodel: claude-next-1\n---\nDo it.`);
    expect(own).toMatchObject({
      model: 'claude-next-1',
      tools: ['Agent', 'mcp__files__read', 'LS'],
    });
    expect(problems).toEqual([]);
  });

  it('without fields is no definition, and none without name or description counts', async () => {
    await put('project/.claude/agents/README.md', '# Agents\nSee the wiki.');
    for (const [text, words] of [
      ['# Agents\nSee the wiki.', 'it does not begin with fields'],
      ['', 'the file is empty'],
      ['---\nname: x\nDo it.', 'the line --- that ends the fields is missing'],
    ] as const) {
      const { own, problems } = await readOne(text);
      expect(own).toBeNull();
      expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
    }
    for (const text of ['description: y', 'name: x', 'name: "../x"\ndescription: y']) {
      const { own, problems } = await readOne(`---\n${text}\n---\n`);
      expect(own).toBeNull();
      expect(problems[0]?.message).toContain('so there is no agent "');
    }
  });
});

describe('a place of definitions', () => {
  it('that is no folder, or holds a device, is told', async () => {
    await put('project/.claude/agents', 'name: x');
    await mkdir(join(root, 'user', 'agents'), { recursive: true });
    await symlink('/dev/null', join(root, 'user', 'agents', 'x.md'));
    const store = storeOf();
    await store.refresh();
    const told = store.problems().map(({ message }) => message.replace(root, ''));
    expect(told.sort()).toEqual([
      expect.stringMatching(/^\/project\/\.claude\/agents.*a folder is expected/),
      expect.stringMatching(/^\/user\/agents\/x\.md.*it is a device, a pipe or a socket/),
    ]);
  });
});

describe('the kinds of agents', () => {
  const file = (name: string, text = 'p') => `---\nname: ${name}\ndescription: d\n---\n${text}`;

  it('come from all places, the stronger one first, in nested folders too', async () => {
    await put('project/.claude/agents/deep/down/one.md', file('one', 'of the project'));
    await put('user/agents/one.md', file('one', 'of the user'));
    await put('user/agents/two.md', file('two', 'of the user'));
    await put('user/agents/Explore.md', file('Explore', 'own'));
    await put('managed/.claude/agents/two.md', file('two', 'of the organisation'));
    const given = readGivenAgents({ one: { description: 'd', prompt: 'given' } });
    const store = storeOf(true, given);
    await store.refresh();
    expect(store.list().map(({ name, prompt }) => [name, prompt.slice(0, 22)])).toEqual([
      ['Explore', 'own'],
      ['Plan', expect.any(String)],
      ['fork', ''],
      ['general-purpose', expect.any(String)],
      ['one', 'given'],
      ['two', 'of the organisation'],
      ['verify', expect.any(String)],
    ]);
    expect(store.problems()).toEqual([]);
  });

  it('of an untrusted folder are none, and the bad ones take nobody down', async () => {
    await put('project/.claude/agents/a.md', file('a'));
    await put('project/.claude/agents/bad.md', '---\nname: [\n---\n');
    await put('project/.claude/agents/large.md', `${file('large')}${'x'.repeat(600_000)}`);
    await put('project/.claude/agents/twin.md', file('a'));
    await put('secret.md', file('secret'));
    await symlink(join(root, 'secret.md'), join(project(), '.claude/agents/link.md'));
    const untrusted = storeOf(false);
    await untrusted.refresh();
    expect(untrusted.list()).toEqual(BUILT_IN_AGENTS);
    expect(untrusted.problems()).toEqual([]);
    const store = storeOf();
    await store.refresh();
    const own = store.list().filter(({ source }) => source === 'project');
    expect(own.map(({ name }) => name)).toEqual(['a']);
    const told = store.problems().map(({ message }) => message);
    expect(told).toHaveLength(4);
    for (const words of ['bad.md', 'large.md', 'leads out', 'defines an agent of the name "a" too'])
      expect(told.filter((message) => message.includes(words))).toHaveLength(1);
  });

  it('follow their files, of which only the changed ones are read', async () => {
    await put('user/agents/a.md', file('a'));
    await put('user/agents/b.md', file('b'));
    const read: string[] = [];
    const files = createNodeFiles();
    const store = createAgentStore(
      {
        ...files,
        read: (path, max) => {
          read.push(path);
          return files.read(path, max);
        },
      },
      () => ({
        project: project(),
        userFolder: join(root, 'user'),
        managedFile: null,
        includeProject: true,
        includeFiles: true,
      }),
    );
    const names = () => store.list().flatMap((one) => (one.source === 'user' ? [one.name] : []));
    await store.refresh();
    expect(names()).toEqual(['a', 'b']);
    await rm(join(root, 'user/agents/a.md'));
    await put('user/agents/c.md', file('c'));
    await store.refresh();
    expect(names()).toEqual(['b', 'c']);
    expect(read).toHaveLength(3);
  });
});

describe('agents of a program', () => {
  it('are read from an object or JSON, and what binds is an error', () => {
    const given = {
      helper: { description: 'Helps', prompt: 'Help.', tools: ['Read'], model: 'haiku' },
    };
    const { definitions, problems } = readGivenAgents(JSON.stringify(given));
    expect(problems).toEqual([]);
    expect(definitions).toEqual([
      { ...given.helper, name: 'helper', source: 'commandLine' } satisfies AgentDefinition,
    ]);
    expect(readGivenAgents(given).definitions).toEqual(definitions);
    const more = {
      ...{ autoCompactWindow: 50_000, omitClaudeMd: true, observerMessage: 'Mind it.' },
      observer: 'a, b,c , a, d, e',
    };
    const observed = readGivenAgents({ helper: { ...given.helper, ...more } });
    expect(observed.definitions).toMatchObject([
      {
        ...{ autoCompactWindow: 50_000, omitsMemory: true, observerMessage: 'Mind it.' },
        observers: ['a', 'b', 'c', 'd'],
      },
    ]);
    expect(observed.problems).toMatchObject([{ field: 'helper.observer', level: 'warning' }]);
    const levelOf = (value: unknown) => readGivenAgents(value).problems.map(({ level }) => level);
    expect(levelOf('{')).toEqual(['error']);
    expect(levelOf([])).toEqual(['error']);
    expect(levelOf({ a: 5 })).toEqual(['error']);
    expect(levelOf({ a: { description: 'd' } })).toEqual(['error']);
    expect(levelOf({ a: { description: 'd', prompt: 'p', tools: 5 } })).toEqual(['error']);
    expect(levelOf({ a: { description: 'd', prompt: 'p', color: 5 } })).toEqual(['warning']);
    expect(levelOf(JSON.parse('{"__proto__":{"description":"d","prompt":"p"}}'))).toEqual([
      'error',
    ]);
    expect(({} as { description?: string }).description).toBeUndefined();
  });
});

describe('the tools of a definition', () => {
  const plain: AgentDefinition = { name: 'x', description: '', prompt: '', source: 'user' };
  it.each([
    [{}, 'Bash', true],
    [{ tools: ['Read'] }, 'Bash', false],
    [{ tools: ['mcp__files'] }, 'mcp__files__read', true],
    [{ tools: ['mcp__files__*'] }, 'mcp__files__read', true],
    [{ tools: ['mcp__file'] }, 'mcp__files__read', false],
    [{ tools: [] }, 'Read', false],
    [{ tools: ['Read'], disallowedTools: ['Read'] }, 'Read', false],
    [{ disallowedTools: ['mcp__files'] }, 'mcp__files__read', false],
    [{ disallowedTools: ['*'] }, 'Read', false],
    [{ mcpServers: ['other'] }, 'mcp__files__read', false],
    [{ mcpServers: ['files'] }, 'mcp__files__read', true],
    [{ mcpServers: ['files'] }, 'Read', true],
  ])('%j: %s %s', (fields, tool, offered) => {
    expect(includesTool({ ...plain, ...fields }, tool)).toBe(offered);
  });

  it.each([
    ['project', 'acceptEdits', 'default', 'default'],
    ['plugin', 'acceptEdits', 'default', 'default'],
    ['user', 'acceptEdits', 'default', 'acceptEdits'],
    ['commandLine', 'acceptEdits', 'default', 'acceptEdits'],
    ['user', 'acceptEdits', 'plan', 'plan'],
    ['user', 'acceptEdits', 'dontAsk', 'dontAsk'],
    ['user', 'auto', 'default', 'default'],
    ['user', 'bypassPermissions', 'default', 'default'],
    ['user', 'plan', 'bypassPermissions', 'plan'],
    ['user', 'default', 'acceptEdits', 'default'],
    ['user', undefined, 'acceptEdits', 'acceptEdits'],
  ] as const)('of %s with %s in %s works in %s', (source, permissionMode, mode, expected) => {
    const own = permissionMode === undefined ? {} : { permissionMode };
    expect(modeOfAgent({ source, ...own }, mode)).toBe(expected);
  });
});

it('numbers and switches in quotes count, too', async () => {
  const fields = { description: 'd', prompt: 'p', maxTurns: '3', background: 'true' };
  const { definitions, problems } = readGivenAgents({ quoted: fields });
  expect(problems).toEqual([]);
  expect(definitions).toMatchObject([{ maxTurns: 3, background: true }]);
});
