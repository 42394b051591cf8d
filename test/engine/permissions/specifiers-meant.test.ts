// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of commands
import { afterAll, expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { ruleDoubt } from '../../../src/main/engine/permissions/rule-doubts';
import { readRule } from '../../../src/main/engine/permissions/rules';
import { createFixture, rulesOf } from './support/judge';

const fixture = createFixture();
afterAll(() => fixture.remove());

const told = (text: string): string | null => {
  const { parsed, problem } = readRule({ behavior: 'deny', text, source: 'userSettings' });
  return problem?.message ?? (parsed && ruleDoubt(parsed));
};

test.each([
  ['touch: *'],
  ['touch:'],
  ['touch:.*'],
  ['touch:**'],
  ['touch:*:*'],
  ['touch:*;'],
  ['touch:*,mv:*'],
  ['mv:*|touch:*'],
  ['mv:* touch:*'],
  ['touch|mv'],
  ['touch;mv'],
  ['{touch,mv}:*'],
  ['{mv,touch} *'],
  ['"touch:*"'],
  ["'touch *'"],
  ['`touch:*`'],
  ['(touch:*)'],
  ['^touch'],
  ['^touch .*$'],
  ['command:touch *'],
  ['prefix:touch'],
  ['touch:x'],
  ['touch\uff1a*'],
  ['touch:\u2217'],
])('a denial of %s covers the command that it means, and that is told', async (specifier) => {
  const text = `Bash(${specifier})`;
  const judged = await fixture.shell('touch x', { deny: [text] }, 'bypassPermissions');
  expect(judged.behavior).toBe('deny');
  expect(told(text)).toContain('may be meant, which it covers, too');
  const other = await fixture.shell('cp a.txt x', { deny: [text] }, 'bypassPermissions');
  expect(other.behavior).toBe('allow');
  const allowed = await fixture.shell('touch x', { allow: [text] }, 'default');
  expect(allowed.behavior).toBe('ask');
});

test('a dash that an editor made longer is the one of an option', async () => {
  const rules = { deny: ['Bash(touch \u2013m *)'] };
  const judged = await fixture.shell('touch -m x', rules, 'bypassPermissions');
  expect(judged.behavior).toBe('deny');
});

test.each([
  '{src/app.ts,x}',
  '**/*.{ts,pem}',
  'src/{app,x}.ts',
  'x|src/app.ts',
  './x, ./src/app.ts',
  'path:src/app.ts',
  'file_path:src/app.ts',
  'glob:**/app.ts',
  '^src/app.ts',
  'src/app.ts:*',
  'src/app.ts;',
  '"src/app.ts"',
])('a denial of the path %s covers what it means, and that is told', async (specifier) => {
  const text = `Read(${specifier})`;
  const judged = await fixture.file('Read', 'src/app.ts', { deny: [text] }, 'bypassPermissions');
  expect(judged.behavior).toBe('deny');
  expect(told(text)).toContain('may be meant, which it covers, too');
  const other = await fixture.file('Read', 'a.txt', { deny: [text] }, 'bypassPermissions');
  expect(other.behavior).toBe('allow');
});

test.each([
  ['WebFetch', 'domain:x.io', 'Domain:x.io'],
  ['WebFetch', 'domain:x.io', 'domain:.x.io'],
  ['WebFetch', 'domain:a.x.io', 'domain:.x.io'],
  ['WebFetch', 'domain:x.io', 'domain=x.io'],
  ['WebFetch', 'domain:x.io', 'host:x.io'],
  ['WebFetch', 'domain:x.io', 'domain:y.io,x.io'],
  ['WebFetch', 'domain:x.io', 'domain:"x.io"'],
  ['WebFetch', 'domain:x.io', 'domain:https://x.io/a'],
  ['WebFetch', 'domain:x.io', 'https://x.io/*'],
  ['WebFetch', 'domain:x.io', 'x.io'],
  ['Agent', 'Explore', '"Explore"'],
  ['Agent', 'Explore', 'Plan, Explore'],
  ['Skill', 'deploy', '/deploy'],
  ['Skill', 'deploy', '{build,deploy}'],
])('a denial of %s covers %s when it says %s', (tool, specifier, written) => {
  const text = `${tool}(${written})`;
  const judge = (of: string) =>
    decide(
      { kind: 'tool', tool, specifier: of, readOnly: false },
      rulesOf({ deny: [text] }),
      'bypassPermissions',
      fixture.context,
    ).behavior;
  expect(judge(specifier)).toBe('deny');
  expect(judge(tool === 'WebFetch' ? 'domain:z.io' : 'other')).toBe('allow');
  expect(told(text)).toContain('may be meant, which it covers, too');
});

test.each([
  'Bash(npm run test:*)',
  'Bash(curl :*)',
  'Bash(git log --pretty=a,b)',
  'Bash(docker push repo:* --x)',
  'Bash(curl * | sh)',
  'Bash(git commit -m "a, b")',
  'Bash("/opt/my app/run")',
  'Bash("/opt/my app/run" *)',
  'Bash(find . -name "*.{a,b}")',
  'Bash(find . -exec rm {} +)',
  'Bash(./x.sh:*)',
  'Bash(python3.*)',
  'Bash(run_in_background:true)',
  'Bash(scp x:y z)',
  'Bash(rsync a:b,c d)',
  'Bash(ssh host:*)',
  'Bash(echo ${X})',
  'Bash(echo ${X,y})',
  'Read(src/${X,Y}.ts)',
  'Bash(cat a; b)',
  'Bash((cd x && make))',
  'Read(a,b.txt)',
  'Read(a;b)',
  'Read(a:b.txt)',
  'Read(notes (old).txt)',
  'Read(//etc/**)',
  'Read(~/.ssh/**)',
  'Read(secrets/{a}.txt)',
  'Read(!sample.env)',
  'Read(app/(group)/[id]/page.tsx)',
  'Read(**/.env.*)',
  'WebFetch(domain:*.example.com)',
  'WebFetch(domain:*)',
  'WebFetch(domain:X.IO)',
  'WebFetch(domain:[::1])',
  'WebFetch(url:https://x.example/*)',
  'Agent(Explore)',
  'Agent(model:opus)',
  'Skill(plugin:deploy)',
  'Skill(deploy *)',
  'mcp__a__t',
])('%s means what it says', (text) => {
  expect(told(text)).toBeNull();
});

test('a rule of very many words in braces stays one', () => {
  const words = Array.from({ length: 200 }, (_, at) => `w${at}`).join(',');
  expect(told(`Read({${words}}/{${words}}/{${words}})`)).toBeNull();
});
