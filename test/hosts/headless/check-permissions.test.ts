import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCheckParts } from '../../../src/main/compose-check';
import { checkPermissions } from '../../../src/main/hosts/headless/check-permissions';
import { inputLines } from '../../../src/main/hosts/headless/input-lines';
import { createOutput } from '../../../src/main/hosts/headless/output';

let home = '';
let cwd = '';

beforeAll(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'lathe-check-')));
  cwd = path.join(home, 'proj');
  mkdirSync(path.join(cwd, 'sub'), { recursive: true });
  mkdirSync(path.join(home, 'other'));
  writeFileSync(path.join(cwd, 'a.txt'), 'x');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Answer {
  readonly id: string | number;
  readonly behavior: string;
  readonly reason: string;
  readonly rule?: string;
  readonly source?: string;
  readonly error?: string;
  readonly why: readonly string[];
  readonly suggestions: readonly string[];
}

async function ask(input: Readable, complaints: string[] = []) {
  const stdout = new PassThrough();
  const out = createOutput(stdout, () => {});
  const usable = await checkPermissions({
    ...createCheckParts({ HOME: home }),
    cwd,
    input,
    out,
    complain: (line) => complaints.push(line),
  });
  stdout.end();
  const text = await new Response(Readable.toWeb(stdout) as ReadableStream).text();
  const answers: Answer[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { answers, usable };
}

async function askOne(question: object): Promise<Answer> {
  const { answers } = await ask(Readable.from([JSON.stringify({ tool: 'Bash', ...question })]));
  const [answer] = answers;
  if (!answer) throw new Error('no answer');
  return answer;
}
const bash = (command: string, rest: object = {}) => askOne({ input: { command }, ...rest });

test('an answer has every field, the rule and where it comes from', async () => {
  const rules = { deny: ['Bash(rm:*)'], allow: [], ask: [] };
  expect(await bash('ls && rm -rf sub', { id: 'x', rules, ruleSource: 'user' })).toEqual({
    id: 'x',
    behavior: 'deny',
    reason: 'a deny rule covers it: Bash(rm:*) (user settings)',
    rule: 'Bash(rm:*)',
    source: 'user',
    why: ['a deny rule covers it: Bash(rm:*) (user settings)'],
    suggestions: [],
  });
  const asked = await bash('npm run test');
  expect(asked).toMatchObject({ id: 1, behavior: 'ask' });
  expect(asked.suggestions[0]).toBe('Bash(npm run test)');
});

test.each([
  ['default', 'touch x', 'ask'],
  ['manual', 'touch x', 'ask'],
  ['acceptEdits', 'touch x', 'allow'],
  ['plan', 'touch x', 'ask'],
  ['auto', 'touch x', 'ask'],
  ['dontAsk', 'touch x', 'deny'],
  ['bypassPermissions', 'touch x', 'allow'],
  ['dontAsk', 'ls', 'allow'],
])('mode %s: %s is %s', async (mode, command, behavior) => {
  expect(await bash(command, { mode })).toMatchObject({ behavior });
});

test('cwd, home and additional directories say where it plays', async () => {
  expect(await bash('cat ../other/x')).toMatchObject({ behavior: 'ask' });
  const wider = { additionalDirectories: ['../other'] };
  expect(await bash('cat ../other/x', wider)).toMatchObject({ behavior: 'allow' });
  expect(await bash('cat x', { cwd: `${home}/other` })).toMatchObject({ behavior: 'allow' });
  expect(
    await bash('rm -rf /data/me/x/', { home: '/data/me/x', mode: 'bypassPermissions' }),
  ).toMatchObject({ behavior: 'ask' });
});

test('a pattern that begins with a slash is relative to the settings it comes from', async () => {
  const rules = { deny: ['Read(/secrets/**)'] };
  const read = (file_path: string, ruleSource: string) =>
    askOne({ tool: 'Read', input: { file_path }, rules, ruleSource });
  expect(await read('secrets/a', 'project')).toMatchObject({ behavior: 'deny', source: 'project' });
  expect(await read('secrets/a', 'localSettings')).toMatchObject({ behavior: 'deny' });
  expect(await read('secrets/a', 'user')).toMatchObject({ behavior: 'allow' });
  expect(await read('~/.claude/secrets/a', 'user')).toMatchObject({ behavior: 'deny' });
});

test.each([
  [
    'WebFetch',
    { url: 'https://sub.example.com/x' },
    { allow: ['WebFetch(domain:*.example.com)'] },
    'allow',
  ],
  [
    'WebFetch',
    { url: 'https://example.com.evil.io/' },
    { allow: ['WebFetch(domain:example.com)'] },
    'ask',
  ],
  [
    'WebFetch',
    { url: 'https://EXAMPLE.com./' },
    { deny: ['WebFetch(domain:example.com)'] },
    'deny',
  ],
  ['mcp__a__b', {}, { allow: ['mcp__a'] }, 'allow'],
  ['mcp__a__b', {}, { allow: ['mcp__a__*'] }, 'allow'],
  ['mcp__ab__b', {}, { allow: ['mcp__a'] }, 'ask'],
  ['Agent', { subagent_type: 'Explore', prompt: 'x' }, { deny: ['Agent(Explore)'] }, 'deny'],
  ['Skill', { skill: 'deploy', args: 'prod' }, { allow: ['Skill(deploy *)'] }, 'allow'],
  ['Skill', { skill: 'deployer' }, { allow: ['Skill(deploy *)'] }, 'ask'],
  [
    'Bash',
    { command: 'ls', run_in_background: true },
    { deny: ['Bash(run_in_background:true)'] },
    'deny',
  ],
  [
    'Bash',
    { command: 'npm x', run_in_background: true },
    { allow: ['Bash(run_in_background:true)'] },
    'ask',
  ],
  ['PowerShell', { command: 'Remove-Item x' }, { deny: ['PowerShell(Remove-Item:*)'] }, 'deny'],
  ['NeverHeardOf', { a: 1 }, {}, 'ask'],
  ['__proto__', {}, {}, 'ask'],
  ['TodoWrite', { todos: [] }, {}, 'allow'],
  ['Glob', { pattern: '/etc/*' }, {}, 'ask'],
  ['Grep', { pattern: 'x' }, {}, 'allow'],
  ['Monitor', { command: 'rm x' }, { deny: ['Bash(rm:*)'] }, 'deny'],
  ['Read', {}, {}, 'deny'],
  ['Bash', { command: 5 }, {}, 'deny'],
])('%s %j with %j: %s', async (tool, input, rules, behavior) => {
  const answer = await askOne({ tool, input, rules });
  expect(answer, answer.reason).toMatchObject({ behavior });
});

test('a rule that cannot be read is named, and a deny still denies', async () => {
  const answer = await bash('ls', { rules: { deny: ['Bash(rm'] } });
  expect(answer).toMatchObject({ behavior: 'deny', rule: 'Bash(rm' });
  expect(answer.why.join()).toContain('no closing parenthesis');
});

test('a line that cannot be used is denied by its id or number; the others are answered', async () => {
  const good = JSON.stringify({ id: 'ok', tool: 'Bash', input: { command: 'ls' } });
  const complaints: string[] = [];
  const lines = [
    `\uFEFF${good}\r`,
    '',
    '   ',
    '{"id":"torn","tool":"Ba',
    '[]',
    '{"id":"m","tool":"Bash","input":{"command":"ls"},"mode":"yolo"}',
    '{"id":"r","tool":"Bash","input":{"command":"ls"},"rules":{"denny":["Bash"]}}',
    '{"id":"i","tool":"Bash","input":"ls"}',
    '{"id":"u","tool":"Bash","input":{"command":"ls"},"rulez":{}}',
    good,
  ];
  const { answers, usable } = await ask(Readable.from([lines.join('\n')]), complaints);
  expect(usable).toBe(false);
  const short = answers.map(({ id, behavior, error }) => [id, behavior, error !== undefined]);
  expect(short).toEqual([
    ['ok', 'allow', false],
    [4, 'deny', true],
    [5, 'deny', true],
    ['m', 'deny', true],
    ['r', 'deny', true],
    ['i', 'deny', true],
    ['u', 'allow', false],
    ['ok', 'allow', false],
  ]);
  expect(answers[3]?.reason).toMatch(/^line 6: mode: /);
  expect(complaints).toEqual(['Line 9: the field "rulez" means nothing here.']);
});

test('answers come while the input is still open', async () => {
  const input = new PassThrough();
  const stdout = new PassThrough();
  const checking = checkPermissions({
    ...createCheckParts({ HOME: home }),
    cwd,
    input,
    out: createOutput(stdout, () => {}),
    complain: () => {},
  });
  const question = JSON.stringify({ tool: 'Bash', input: { command: 'ls' } });
  for (const round of [1, 2]) {
    input.write(`${question}\n`);
    const [answer] = await once(stdout, 'data');
    expect(JSON.parse(String(answer))).toMatchObject({ id: round, behavior: 'allow' });
  }
  input.end();
  expect(await checking).toBe(true);
});

test('a line over the limit is dropped, not kept', async () => {
  const lines = Readable.from(['ab', 'cdef', 'gh\nok\n', 'x'.repeat(9)]);
  const found = [];
  for await (const batch of inputLines(lines, 4)) found.push(...batch);
  expect(found).toEqual([
    { text: '', tooLong: true },
    { text: 'ok', tooLong: false },
    { text: '', tooLong: true },
  ]);
});

test('the whole of a long command is asked, and input that breaks off is survived', async () => {
  expect(await bash(`echo ${'x'.repeat(20_000)}`)).toMatchObject({ behavior: 'ask' });
  const broken = new Readable({ read() {} });
  broken.push(`${JSON.stringify({ tool: 'Bash', input: { command: 'ls' } })}\n`);
  const answered = ask(broken);
  setImmediate(() => broken.destroy(new Error('gone')));
  expect((await answered).answers).toMatchObject([{ behavior: 'allow' }]);
});
