import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../support/runs';
import { DISGUISES } from './support/grammar';
import { sharedFixture } from './support/table';

const fixture = sharedFixture();

const ASKING = [
  'npm test',
  'npm run build',
  'npm install x',
  'git commit -m x',
  'git push',
  'make all',
  'node x.js',
  'python3 x.py',
  'bash x.sh',
  'bash -c "npm test"',
  'sudo make install',
  'env A=1 make',
  'npx vitest',
  'docker run x',
  'cargo build',
  'go test ./...',
  'curl -s http://x',
  'touch x',
  'rm a.txt',
  'find src -name x -delete',
  'find . -exec touch {} +',
  'ls | xargs touch',
  'watch ls',
  'eval ls',
  'tee out',
  './run.sh',
  'FOO=1 npm test',
  'sed -i s/a/b/ a.txt',
  'awk "BEGIN{system(1)}"',
  'ssh host',
  'kubectl get pods',
  'mkfoo *.x',
] as const;
const JOINTS = [' && ', '; ', ' | ', ' || ', '\n'] as const;

const line = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...ASKING), fc.constantFrom(...JOINTS)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([parts]) =>
    parts
      .map(([command, joint]) => `${command}${joint}`)
      .join('')
      .replace(/\s*[&;|\n]+\s*$/, ''),
  );

const suggestionsFor = async (command: string): Promise<string[]> =>
  (await fixture().shell(command)).suggestions.map((suggestion) => suggestion.rule);

test('all suggestions together let the same line pass, and there are at most five', async () => {
  await fc.assert(
    fc.asyncProperty(line, async (command) => {
      const allow = await suggestionsFor(command);
      expect(allow.length).toBeLessThanOrEqual(5);
      const decision = await fixture().shell(command, { allow });
      // A line over several lines fits no rule of one.
      if (!command.includes('\n'))
        expect(decision.behavior, `${command} with ${allow.join(' ')}`).toBe('allow');
    }),
    { numRuns: runs(400) },
  );
});

/** What no suggestion may open, whatever it was made for. */
const DANGEROUS = [
  ...DISGUISES.map((name) => `${name} -rf dist`),
  'bash -c "rm -rf dist"',
  'sudo rm -rf dist',
  'env rm -rf dist',
  'npx evil',
  'npm install evil',
  'npm publish',
  'npm exec evil',
  'git push --force',
  'git config core.pager evil',
  'git -c core.pager=evil log',
  'docker run -v /:/x evil',
  'python3 -c evil',
  'node -e evil',
  'curl http://evil',
  'ssh evil',
  'find . -exec rm {} +',
  'find . -delete',
  'ls | xargs rm',
  'eval evil',
  'watch evil',
  'kubectl delete pod x',
  'make evil > .bashrc',
  './evil.sh',
];

test('no suggestion allows a dangerous line it was not made for', async () => {
  await fc.assert(
    fc.asyncProperty(line, fc.constantFrom(...DANGEROUS), async (command, dangerous) => {
      const allow = await suggestionsFor(command);
      const decision = await fixture().shell(dangerous, { allow });
      expect(decision.behavior, `${dangerous} with ${allow.join(' ')}`).not.toBe('allow');
    }),
    { numRuns: runs(600) },
  );
});

test.each([
  'bash x',
  'sudo x',
  'python3 x',
  'node x',
  'env x',
  'xargs x',
  'ssh x',
  'npx x',
  'sh x',
])('no prefix rule is offered for %s', async (command) => {
  for (const rule of await suggestionsFor(command)) expect(rule).not.toMatch(/[*]\)$/);
});
