import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentStore } from '../../../src/main/engine/agents/agent-store';
import { readSkill } from '../../../src/main/engine/skills/skill';
import { createNodeFiles } from '../../../src/main/node/files';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lathe-guards-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const files = createNodeFiles();

const put = (name: string, text: string) => {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** Looks at the agents of a project and its user. */
async function look() {
  const store = createAgentStore(files, () => ({
    project: join(root, 'project'),
    userFolder: join(root, 'user'),
    managedFile: null,
    includeProject: true,
    includeFiles: true,
  }));
  await store.refresh();
  return store;
}

const HOOK = '[{hooks: [{type: command, command: ./guard.sh}]}]';

const LOST = [
  'hooks: {PreToolUse: [{hooks: [{command: ./guard.sh}]}]}',
  'hooks: {PreToolUse: [{hooks: [{type: wasm, module: guard.wasm}]}]}',
  'hooks: {PreToolUse: ./guard.sh}',
  `hooks: [{PreToolUse: ${HOOK}}]`,
  `hooks: {preToolUse: ${HOOK}}`,
  `hooks: {hooks: {PreToolUse: ${HOOK}}}`,
  `Hooks: {PreToolUse: ${HOOK}}`,
  `hook: {PermissionRequest: ${HOOK}}`,
  `PreToolUse: ${HOOK}`,
];

const KEPT = [
  'hooks: {PostToolUse: [{hooks: [{command: ./note.sh}]}]}',
  'hooks: {PreToolUse: [{hooks: [{type: command, command: [x], async: true}]}]}',
  'hooks: {PreToolUse: [{hooks: [{type: command, command: x, timeout: soon}]}]}',
  'hooks: [./guard.sh]',
  `hooks_off: {PreToolUse: ${HOOK}}`,
];

test.each(LOST)(
  'a guard of an agent or a skill that is lost asks while it works: %s',
  async (line) => {
    const fields = `---\nname: x\ndescription: y\n${line}\n---\nDo it.`;
    const file = put('project/.claude/agents/x.md', fields);
    const store = await look();
    const agent = store.list().find((one) => one.file === file);
    expect(agent?.rules).toContainEqual({
      ...{ behavior: 'ask', text: 'Bash', source: 'projectSettings', file },
    });
    expect(store.problems().map(({ message, line: at }) => [message, at])).toEqual([
      [expect.stringContaining('Lathe asks before every call of this agent, because'), 4],
    ]);

    const path = put('skills/x/SKILL.md', fields);
    const stat = await files.stat(path);
    if (!stat.ok) throw new Error('no file');
    const found = { path, name: 'x/SKILL.md', stat: stat.value };
    const { skill, problems } = await readSkill(files, found, 'skill', 'user');
    expect(skill?.rules).toContainEqual({
      ...{ behavior: 'ask', text: 'Bash', source: 'userSettings', file: path },
    });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('Lathe asks before every call while this skill is in use, because'),
    ]);
  },
);

test.each(KEPT)('where no guard is lost, an agent asks for nothing else: %s', async (line) => {
  put('project/.claude/agents/x.md', `---\nname: x\ndescription: y\n${line}\n---\nDo it.`);
  const store = await look();
  expect(store.list().find(({ name }) => name === 'x')).toMatchObject({ source: 'project' });
  expect(store.list().find(({ name }) => name === 'x')?.rules).toBeUndefined();
});

test('an agent with hooks under a quoted name is left out', async () => {
  put(
    'project/.claude/agents/x.md',
    `---\nname: x\ndescription: y\n"hooks": {PreToolUse: ${HOOK}}\n---\nDo it.`,
  );
  const store = await look();
  expect(store.list().map(({ name }) => name)).not.toContain('x');
  expect(store.problems()).toHaveLength(1);
});

test.each([
  [
    'of the user',
    'project/.claude/agents/x.md',
    'reviewer',
    'name: reviewer\ndescription: y\ntools: 5',
  ],
  [
    'that comes with Lathe',
    'user/agents/Explore.md',
    'Explore',
    'name: Explore\ndescription: y\nisolation: jail',
  ],
  [
    'by a name that is no YAML',
    'project/.claude/agents/x.md',
    'reviewer',
    'name: "reviewer"\ndescription: y\ntools: [a\n  b: c: d',
  ],
  ['by the name of its file', 'project/.claude/agents/reviewer.md', 'reviewer', 'description: y'],
])('an agent that is left out lets no weaker one stand in: %s', async (_, place, name, fields) => {
  put('user/agents/r.md', '---\nname: reviewer\ndescription: all tools\n---\nDo it.');
  expect((await look()).list().map((one) => one.name)).toContain(name);
  put(place, `---\n${fields}\n---\nDo it.`);
  const store = await look();
  expect(store.list().map((one) => one.name)).not.toContain(name);
  expect(store.isDropped(name)).toBe(true);
  expect(store.problems().map(({ message }) => message)).toEqual([
    expect.stringMatching(new RegExp(`${place}, line .*so there is no agent "${name}"`)),
  ]);
  expect(store.list().map((one) => one.name)).toContain('Plan');
});

const EXAMPLE = '```markdown\n---\nname: reviewer\ndescription: y\n---\n```\n';
test.each<[string, string, string | null]>([
  ['an example in a text', `# Agents\n${EXAMPLE}`, null],
  ['an example in a text of the name of an agent', `# Agents\n${EXAMPLE}name: Explore\n`, null],
  ['nothing', '', null],
  ['an example below fields', `---\ntitle: Agents\n---\n${EXAMPLE}`, 'Explore'],
  ['an example below fields without an end', `---\ndescription: z\n\n${EXAMPLE}`, 'Explore'],
  ['fields behind a mark and blank lines', '\uFEFF\n\n---\nname: reviewer\n---\n', 'reviewer'],
  ['fields without an end', '---\nname: reviewer\nDo it.\n', 'reviewer'],
  ['fields in UTF-16 without a mark', [...'---\nname: reviewer\n---\n'].join('\0'), 'reviewer'],
  ['fields behind a comment', '---\n# An agent\nname: reviewer\nDo it.\n', 'reviewer'],
])('only what begins as a definition takes a name away: %s', async (_, text, gone) => {
  put('user/agents/r.md', '---\nname: reviewer\ndescription: all tools\n---\nDo it.');
  const file = put('project/.claude/agents/Explore.md', text);
  const store = await look();
  const names = store.list().map((one) => one.name);
  expect(['Explore', 'reviewer'].filter((name) => !names.includes(name))).toEqual(
    gone === null ? [] : [gone],
  );
  expect(store.problems()).toHaveLength(1);
  const words = gone === null ? 'so it defines no agent' : `so there is no agent "${gone}"`;
  expect(store.problems()[0]?.message).toContain(file);
  expect(store.problems()[0]?.message).toContain(words);
});

test('an agent that is left out keeps a stronger one of its name', async () => {
  put('project/.claude/agents/r.md', '---\nname: reviewer\ndescription: y\n---\nDo it.');
  put('user/agents/r.md', '---\nname: reviewer\n---\nDo it.');
  expect((await look()).list().map((one) => one.name)).toContain('reviewer');
});
