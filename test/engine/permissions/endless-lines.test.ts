import { afterAll, beforeAll, expect, test } from 'vitest';
import { shellRequest } from '../../../src/main/engine/permissions/build-request';
import { decide } from '../../../src/main/engine/permissions/decide';
import { HeldTexts } from '../../../src/main/engine/permissions/shell-analysis/held-texts';
import { createNodeFiles } from '../../../src/main/node/files';
import { countSteps } from '../../support/count-steps';
import { createFixture, type Fixture } from './support/judge';

/** Looks at the disk for one line, whatever it holds. */
const MAX_LOOKS = 1_200;

let fixture: Fixture;
beforeAll(() => {
  fixture = createFixture();
});
afterAll(() => fixture.remove());

/** Decides on a line in bypass mode, and counts what is looked up and listed for it. */
async function judged(line: string) {
  const { context, parser } = fixture;
  const files = createNodeFiles();
  let looks = 0;
  const counted = new Proxy(files, {
    get: (target, name) => {
      looks += 1;
      return Reflect.get(target, name);
    },
  });
  const request = await shellRequest('Bash', line, context, parser, counted);
  const decision = decide(request, [], 'bypassPermissions', context);
  const commands = request.kind === 'shell' ? request.analysis.commands : [];
  const paths = commands.flatMap((command) => [...(command.directories ?? [])]);
  return { ...decision, looks, commands: commands.length, paths: paths.join('').length };
}

test.each([
  ['changes of the folder', `${'cd a && '.repeat(1_200)}ls`],
  ['changes of the folder that may fail', `${'cd a; '.repeat(1_600)}ls`],
  ['changes of the folder in groups', `${'(cd a;'.repeat(1_200)}ls${')'.repeat(1_200)}`],
  ['commands', `${'ls; '.repeat(2_400)}ls`],
  ['readers', `${'cat a && '.repeat(1_000)}ls`],
  ['nested substitutions', `${'$('.repeat(1_600)}ls${')'.repeat(1_600)}`],
  ['runners', `${'sudo '.repeat(1_900)}ls`],
  ['assignments for another shell', `sh -c '${'export A=1; '.repeat(800)}'`],
  ['operands for another shell', `zsh -c 'unset ${'a '.repeat(4_500)}'`],
])('a line of endless %s is asked about after a bounded look', async (_, line) => {
  const { behavior, reason, looks, commands, paths } = await judged(line);
  expect(behavior).toBe('ask');
  expect(reason).toMatch(/^the command could not be fully understood: /);
  expect(looks).toBeLessThan(MAX_LOOKS);
  expect(commands).toBeLessThanOrEqual(1_000);
  expect(paths).toBeLessThan(1_000_000);
});

test('folders that tar goes to are not joined with each word, and asked about for a denial', async () => {
  const line = `tar ${'-C a '.repeat(1_900)}-cf x .`;
  let behavior = '';
  const steps = await countSteps(async () => {
    ({ behavior } = await fixture.shell(line, { deny: ['Read(./.env)'] }, 'bypassPermissions'));
  });
  expect(behavior).toBe('ask');
  expect(steps).toBeLessThan(1_000_000);
});

test('a line that changes the folder a few times is understood', async () => {
  expect((await judged(`${'cd a && '.repeat(20)}ls`)).behavior).toBe('allow');
});

test('a line of many commands and blank lines is understood', async () => {
  const { behavior } = await judged(`${'ls a;'.repeat(400)}${' \n'.repeat(3_500)}`);
  expect(behavior).toBe('allow');
});

test('a path that no system takes is looked up by nobody, and asked about', async () => {
  const { context, parser } = fixture;
  const line = `cat ${'a/'.repeat(4_900)}b`;
  const request = await shellRequest('Bash', line, context, parser, createNodeFiles());
  expect(decide(request, [], 'default', context)).toMatchObject({
    behavior: 'ask',
    reason: expect.stringContaining('could not be looked up'),
  });
});

test('subscripts in subscripts are not evaluated one by one, and asked about for a denial', async () => {
  const line = `echo ${'${a['.repeat(1_200)}0${']}'.repeat(1_200)}`;
  const { behavior } = await fixture.shell(line, { deny: ['Bash(evil:*)'] }, 'bypassPermissions');
  expect(behavior).toBe('ask');
});

test.each(["-C ''''", "-C 'a' \"b", '-C "" -C', "-c '' ''"])(
  'many options of git in a text (%s) are read once',
  async (options) => {
    const line = `frob ${JSON.stringify(`git ${`${options} `.repeat(200)}x`)}`;
    const rules = { deny: ['Bash(git push:*)'] };
    const { behavior } = await fixture.shell(line, rules, 'bypassPermissions');
    expect(['allow', 'ask']).toContain(behavior);
  },
);

test('a script that variables would make longer than any line is read as it is written', () => {
  const held = new HeldTexts();
  const text = 'a;'.repeat(950);
  const word = { value: text, source: text, glob: null, start: 0, end: text.length };
  held.note({ name: 'X', values: [word] }, false);
  expect(held.filledIn('eval $X')).toBe(`eval ${text}`);
  const script = '$X '.repeat(2_600);
  expect(held.filledIn(script)).toBe(script);
});

test.each([
  ['arrays of one another', arrays(Array.from({ length: 200 }, () => '$b'))],
  ['arrays of many variables', arrays(Array.from({ length: 300 }, (_, at) => `$v${at}`))],
  ['a variable that is set often', `${'a=1 '.repeat(500)}; ls; cp $a out`],
])('%s are each followed once, and asked about for a denial', async (_, line) => {
  let behavior = '';
  const steps = await countSteps(async () => {
    ({ behavior } = await fixture.shell(line, { deny: ['Read(./.env)'] }, 'bypassPermissions'));
  });
  expect(behavior).toBe('ask');
  expect(steps).toBeLessThan(1_000_000);
});

function arrays(words: readonly string[]): string {
  const [b, c, d, e] = ['$b', '$c', '$d', '$e'].map((name) =>
    words.map((word) => (word === '$b' ? name : word)).join(' '),
  );
  return `a=(${b}); b=(${c}); c=(${d}); d=(${e}); e=$(ls -A); cp $a out`;
}
