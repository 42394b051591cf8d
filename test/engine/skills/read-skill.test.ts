import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSkill } from '../../../src/main/engine/skills/skill';
import { listedSkills } from '../../../src/main/engine/skills/skill-store';
import { createNodeFiles } from '../../../src/main/node/files';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lathe-skill-'));
});
afterEach(() => rm(root, { recursive: true }));

/** Reads the skill `fix` with a text of its own, and gives what is told of it without its path. */
async function readOne(text: string | Uint8Array) {
  const path = join(root, 'fix', 'SKILL.md');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  const { size, mtimeMs } = await stat(path);
  const facts = { kind: 'file', size, mtimeMs } as Parameters<typeof readSkill>[1]['stat'];
  const found = { path, name: 'fix/SKILL.md', stat: facts };
  const isModel = (name: string) => name === 'opus';
  const files = createNodeFiles();
  const { skill, problems } = await readSkill(files, found, 'skill', 'project', isModel);
  return { skill, told: problems.map(({ message }) => message.replace(path, 'SKILL.md')) };
}

const withField = (line: string) => `---\ndescription: mends\n${line}\n---\nMend it.`;

it.each([
  ['an empty file', '', 'the file is empty'],
  ['fields without an end', '---\ndescription: mends\nMend it.', 'that ends the fields is missing'],
  [
    'a tab in front of a field',
    '---\nname: fix\n\tdescription: mends\n---\nMend it.',
    'SKILL.md, line 3: Tabs are not allowed as indentation, so',
  ],
  ['fields that are too deep', `---\na: ${'{a: '.repeat(500)}\n---\n`, 'nested too deeply'],
])('%s is no skill, and says so', async (_, text, words) => {
  const { skill, told } = await readOne(text);
  expect(skill).toBeNull();
  expect(told).toEqual([expect.stringContaining(words)]);
  expect(told[0]).toContain('so there is no such skill');
});

it.each([
  [
    'another name than its folder has',
    'name: mend',
    'name: it is called fix, as its folder is, not "mend"',
  ],
  [
    'an effort that is none',
    'effort: huge',
    'effort: one of low, medium, high, xhigh, max is expected',
  ],
  ['a model that there is not', 'model: opsu', 'model: there is no model "opsu"; the model of'],
  [
    'an allowed tool that there is not',
    'allowed-tools: Read, Raed(*)',
    'allowed-tools: The rule “Raed(*)” can never match: there is no tool Raed; “Read” may be meant',
  ],
  [
    'a denied tool that there is not',
    'disallowed-tools: Nope',
    'disallowed-tools: The rule “Nope” can never match: there is no tool Nope.',
  ],
  ['hooks that are a list', 'hooks: [a]', 'hooks: an object of events is expected'],
  ['facts that are a text', 'metadata: x', 'metadata: an object is expected'],
  ['another shell', 'shell: powershell', 'shell: "bash" is expected'],
  ['a text for a switch', 'background: maybe', 'background: true or false'],
  [
    'a long description',
    `when_to_use: ${'x'.repeat(2_000)}`,
    'when_to_use: cut after 1536 characters',
  ],
])('%s is told, and the skill is there', async (_, line, words) => {
  const { skill, told } = await readOne(withField(line));
  expect(skill).toMatchObject({ name: 'fix' });
  expect(skill?.effort).toBeUndefined();
  expect(skill?.model).toBeUndefined();
  expect(told).toEqual([expect.stringContaining(words)]);
});

it('a character that the head of a long file cuts is text all the same', async () => {
  const head = withField('license: MIT');
  const { skill, told } = await readOne(`${head}\n${'é'.repeat(40_000)}`);
  expect(skill?.name).toBe('fix');
  expect(told).toEqual([]);
  expect((await readOne(Buffer.concat([Buffer.from(head), Buffer.from([0xff])]))).told).toEqual([
    expect.stringContaining('some of it is not UTF-8 text'),
  ]);
});

it('a denial that is not as it should be denies all of its tool', async () => {
  const { skill, told } = await readOne(withField('disallowed-tools: ["Bash(rm"]'));
  expect(skill?.disallowedTools).toEqual(['Bash(rm']);
  expect(told).toEqual([expect.stringContaining('it covers every use of Bash')]);
});

it.each([
  ['disallowedTools: Bash', ['Bash']],
  ['disallowed_tools: Bash', ['Bash']],
  ['denied-tools: Bash(rm:*), Read', ['Bash(rm:*)', 'Read']],
  ['disalowed-tools: Bash', ['Bash']],
  ['disallowed-tools: ["Bash(rm -rf *) Read"]', ['Bash(rm -rf *)', 'Read']],
  ['disallowed-tools: Read\ndeny: Bash', ['Read', 'Bash']],
])('tools are taken away under other names of the field too: %s', async (line, denied) => {
  const { skill } = await readOne(withField(line));
  expect(skill?.disallowedTools).toEqual(denied);
});

it.each(['disallowed-tools: ["(rm)"]', 'deny: 5', '"disallowed-tools": Bash'])(
  'without what it denies there is no skill: %s',
  async (line) => {
    const { skill, told } = await readOne(withField(line));
    expect(skill).toBeNull();
    expect(told.join()).toContain('so there is no such');
  },
);

it.each([
  ['Read, Bash(git status', ['Read']],
  ['Bash(git status Read', []],
  ['Read Bash(', ['Read']],
])('a bracket that is not closed never allows all of a tool: %s', async (text, allowed) => {
  const { skill, told } = await readOne(withField(`allowed-tools: ${text}`));
  expect(skill?.allowedTools).toEqual(allowed);
  expect(told).toEqual([expect.stringContaining('has no closing parenthesis')]);
});

it('models and tools that there are are not told', async () => {
  const fields = 'model: opus\nallowed-tools: Bash(git *), mcp__files__read, Edit\neffort: high';
  const { skill, told } = await readOne(withField(fields));
  expect(skill).toMatchObject({ model: 'opus', allowedTools: expect.arrayContaining(['Edit']) });
  expect(told).toEqual([]);
});

it.each([
  ['"true"', false, []],
  ['yes', false, []],
  ["'false'", true, []],
  ['Off', true, []],
  ['5', false, ['disable-model-invocation: true or false is expected.']],
])('disable-model-invocation: %s keeps the model away unless it says no', async (word, is, why) => {
  const { skill, told } = await readOne(withField(`disable-model-invocation: ${word}`));
  expect(skill?.modelInvocable).toBe(is);
  expect(told.map((line) => line.replace(/^.*?: /, ''))).toEqual(why);
});

it('is listed with at most 1536 characters of all that it says of itself', async () => {
  const { skill } = await readOne(withField(`when_to_use: ${'x'.repeat(1_530)}`));
  const [listed] = listedSkills(skill === null ? [] : [skill], []);
  expect(listed?.description).toHaveLength(1_536);
});
