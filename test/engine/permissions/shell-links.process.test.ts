import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RuleTexts } from './support/judge';
import { sharedFixture } from './support/table';

/**
 * The system follows a link before it goes up by `..`; the text `docs/link/..` says `docs`. Each line here names,
 * by its text, a harmless place inside the project, and really a file outside it.
 */
const fixture = sharedFixture();

beforeAll(() => {
  const { home, project } = fixture();
  mkdirSync(path.join(home, 'pub/deep'), { recursive: true });
  mkdirSync(path.join(home, 'victim'));
  mkdirSync(path.join(project, 'docs/.ssh'), { recursive: true });
  mkdirSync(path.join(project, 'docs/victim'));
  writeFileSync(path.join(project, 'docs/.ssh/id_rsa'), 'harmless');
  writeFileSync(path.join(home, '.ssh/id_rsa'), 'PRIVATE');
  symlinkSync('../../pub', path.join(project, 'docs/link'));
  symlinkSync('link', path.join(project, 'docs/again'));
  symlinkSync('link/../not-there', path.join(project, 'docs/dangles'));
  symlinkSync('../.git/hooks', path.join(project, 'docs/hooks'));
});

/** Ways to write a path that goes up behind a link, for everything that takes one. `T` is behind it. */
const ROUTES = [
  'docs/link/../T',
  './docs/link/../T',
  'docs/link//../T',
  'docs/link/./../T',
  'docs/link/deep/../../T',
  'docs/again/../T',
  "'docs/link/../T'",
  'docs/"link"/../T',
  'docs/l*/../T',
  'docs/l?nk/../T',
  'docs/../docs/link/../T',
  '{docs/link/..,docs}/T',
  '"$PWD"/docs/link/../T',
];

const READERS = [
  'cat @',
  'cat < @',
  'head -n1 @',
  'grep -r x @',
  'sed -n 1p @',
  "awk '{print}' @",
  'sort @',
  'wc -l < @',
  'diff a.txt @',
  'jq . @',
];

const asRead = (reader: string, route: string): string =>
  reader.replace('@', route.replace('T', '.ssh/id_rsa'));

test('THREATS 6: the shell really reads what the text of the path does not say', () => {
  const { project } = fixture();
  const out = execFileSync('bash', ['-c', 'cat docs/link/../.ssh/id_rsa'], { cwd: project });
  expect(out.toString()).toBe('PRIVATE');
  expect(readFileSync(path.join(project, 'docs/.ssh/id_rsa'), 'utf8')).toBe('harmless');
});

const behaviors = async (
  lines: readonly string[],
  rules: RuleTexts,
  mode: Parameters<ReturnType<typeof fixture>['shell']>[2],
): Promise<string[]> => {
  const allowed: string[] = [];
  for (const line of lines) {
    const { behavior, reason } = await fixture().shell(line, rules, mode);
    if (behavior === 'allow') allowed.push(`${line} (${reason})`);
  }
  return allowed;
};

describe('THREATS 6: `..` behind a link is where the system goes', () => {
  const reads = READERS.flatMap((reader) => ROUTES.map((route) => asRead(reader, route)));
  const moved = [
    'cd docs/link && cat ../.ssh/id_rsa',
    'cd docs/link; cat ../.ssh/id_rsa',
    'cd -P docs/link/.. && cat .ssh/id_rsa',
    'cd docs && cd -P link/.. && cat .ssh/id_rsa',
    'cd docs/link/deep && cat ../../.ssh/id_rsa',
    '(cd docs/link && cat ../.ssh/id_rsa)',
    'find docs/link/.. -name id_rsa',
    'find docs/link/../.ssh -type f | xargs cat',
    'grep -r PRIVATE docs/link/..',
    'ls docs/link/..',
  ];

  test('reading', async () => {
    expect(await behaviors([...reads, ...moved], {}, 'default')).toEqual([]);
  });

  test('reading, where a denial holds in every mode', async () => {
    const through = [
      'pushd docs/link; cat ../.ssh/id_rsa',
      'cat docs/link/../.s*/id_rsa',
      'cat docs/*/../.ssh/*',
      'cp -t . docs/link/../.ssh/id_rsa; cat id_rsa',
      'tar -C docs/link/.. -cO .ssh',
      'tar --directory=docs/link -cO ../.ssh',
      'git -C docs/link/.. diff --no-index /dev/null .ssh/id_rsa',
      'git -C docs/link diff --no-index /dev/null ../.ssh/id_rsa',
      'env -C docs/link cat ../.ssh/id_rsa',
      'ln -s docs/link q; cat q/../.ssh/id_rsa',
      'mkdir q; ln -s ../../../pub q/l; cd q/l; cat ../.ssh/id_rsa',
    ];
    const lines = [...reads, ...moved, ...through].filter(
      (line) => !/^(ls|find) docs\/link\/\.\.( |$)/.test(line),
    );
    expect(await behaviors(lines, { deny: ['Read(~/.ssh/**)'] }, 'bypassPermissions')).toEqual([]);
  });

  test('removing and writing', async () => {
    const lines = [
      'rm -rf docs/link/../victim',
      'rm -rf docs/l*/../victim',
      'cd docs/link && rm -rf ../victim',
      'touch docs/link/../new',
      'echo x > docs/link/../new',
      'echo x > docs/dangles',
      'cp a.txt docs/link/../new',
      'mv a.txt docs/link/../',
      'mkdir docs/link/../new',
      'sed -i s/a/b/ docs/link/../outside.txt',
    ];
    expect(await behaviors(lines, {}, 'acceptEdits')).toEqual([]);
  });

  test('removing and writing, where a denial holds in every mode', async () => {
    const lines = [
      'pushd docs/link; rm -rf ../victim',
      'rm -rf docs/l*/../victim',
      'mv -t docs/link/../victim a.txt',
      'cp -t docs/link/../victim a.txt',
      'echo x >> docs/link/../victim/f',
      'find docs/link/../victim -delete',
      'ln -s docs/link q; rm -rf q/../victim',
      'ln -s docs/link q; echo x > q/../victim/f',
    ];
    expect(await behaviors(lines, { deny: ['Edit(~/victim/**)'] }, 'bypassPermissions')).toEqual(
      [],
    );
  });

  test('protected files, in every mode', async () => {
    const lines = [
      'echo x > docs/hooks/../config',
      'cp a.txt docs/hooks/../config',
      'cd docs/hooks && echo x > ../config',
      'tee docs/hooks/../config < a.txt',
    ];
    expect(await behaviors(lines, {}, 'acceptEdits')).toEqual([]);
    expect(await behaviors(lines, { allow: ['Bash', 'Edit'] }, 'bypassPermissions')).toEqual([]);
  });

  test('git elsewhere', async () => {
    const lines = ['git -C docs/link/../.. status', 'cd docs/link/../.. && git log'];
    expect(await behaviors(lines, {}, 'default')).toEqual([]);
  });

  test('without a link `..` is no reason to ask', async () => {
    for (const line of [
      'cat src/../a.txt',
      'cd src && cat ../a.txt',
      'cd src && cd .. && cat a.txt',
      'cd src && cd ../sub && cat x.txt',
      'ls src/..',
      'cat s*/../a.txt',
    ])
      expect((await fixture().shell(line, { deny: ['Read(~/.ssh/**)'] })).behavior, line).toBe(
        'allow',
      );
  });
});
