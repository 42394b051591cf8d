import { expect, test } from 'vitest';
import { createTerminalService } from '../../src/main/app/terminal-service';
import type { TerminalSpec } from '../../src/main/engine/ports';
import type { TerminalClient } from '../../src/main/terminal/client/terminal-client';
import { ok } from '../../src/shared/result';
import type { TerminalProfile } from '../../src/shared/settings';
import type { TerminalInfo } from '../../src/shared/terminal';

/** A service over a host that only notes what is to be started. */
function service(profiles: readonly TerminalProfile[], listed: readonly Partial<TerminalInfo>[]) {
  const spawned: TerminalSpec[] = [];
  const dismissed: string[] = [];
  const backend = {
    spawn: async (spec: TerminalSpec) => {
      spawned.push(spec);
      return ok({ ...spec, pid: 1, startedAt: 0 });
    },
    list: async () => listed,
    dismiss: async (id: string) => void dismissed.push(id),
  } as unknown as TerminalClient;
  const terminals = createTerminalService({
    backend,
    ids: { next: (prefix: string) => `${prefix}_1`, uuid: () => '' },
    shell: '/bin/zsh',
    profiles: () => profiles,
    shellEnv: async () => ({ HOME: '/h', LANG: 'C' }),
    launchShell: async (shell, env) => ({ argv: [shell, '--marks'], env }),
  });
  return { terminals, spawned, dismissed };
}

const PYTHON = { name: 'Python', program: 'python3', args: ['-q'], env: { LANG: 'de', A: 'b' } };

test.each<[string | undefined, Partial<TerminalSpec>]>([
  [undefined, { title: 'zsh', argv: ['/bin/zsh', '--marks'], env: { HOME: '/h', LANG: 'C' } }],
  [
    'Python',
    {
      ...{ title: 'Python', profile: 'Python', argv: ['python3', '-q'] },
      env: { HOME: '/h', LANG: 'de', A: 'b' },
    },
  ],
  ['Bash', { title: 'Bash', profile: 'Bash', argv: ['/usr/bin/bash', '--marks'] }],
  ['Top', { title: 'Top', argv: ['top'] }],
])('the profile %s', async (profile, expected) => {
  const plain = { args: [], env: {} };
  const profiles = [
    PYTHON,
    { ...plain, name: 'Bash', program: '/usr/bin/bash' },
    { ...plain, name: 'Top', program: 'top' },
  ];
  const { terminals, spawned } = service(profiles, []);
  expect((await terminals.openShell('/p', 80, 24, profile)).ok).toBe(true);
  expect(spawned).toEqual([expect.objectContaining({ kind: 'shell', cwd: '/p', ...expected })]);
});

test.each<[string, string | undefined, readonly string[]]>([
  ['zsh', undefined, []],
  ['zsh 2', undefined, ['zsh']],
  ['zsh 3', undefined, ['zsh 2', 'zsh']],
  ['zsh', undefined, ['zsh 2']],
  ['Python 2', 'Python', ['Python', 'zsh']],
])('a shell is called %s, opened with the profile %s beside %j', async (title, profile, beside) => {
  const living = beside.map((one) => ({ kind: 'shell' as const, project: '/p', title: one }));
  const others = [
    { kind: 'shell' as const, project: '/p', title: 'zsh', endedAt: 1 },
    { kind: 'shell' as const, project: '/q', title: 'zsh' },
    { kind: 'command' as const, project: '/p', title: 'zsh' },
  ];
  const { terminals, spawned } = service([PYTHON], [...others, ...living]);
  await terminals.openShell('/p', 80, 24, profile);
  expect(spawned.map((one) => one.title)).toEqual([title]);
});

test('a profile that is gone is an error, and nothing starts', async () => {
  const { terminals, spawned } = service([], []);
  expect(await terminals.openShell('/p', 80, 24, 'Python')).toMatchObject({
    ok: false,
    error: { code: 'no_profile' },
  });
  expect(spawned).toEqual([]);
});

test('what a profile opened is run again with it', async () => {
  const ended = { id: 'old', project: '/p', cwd: '/p/x', cols: 80, rows: 24, endedAt: 1 };
  const { terminals, spawned, dismissed } = service([PYTHON], [{ ...ended, profile: 'Python' }]);
  expect((await terminals.rerun('old')).ok).toBe(true);
  expect(spawned).toEqual([
    expect.objectContaining({ argv: ['python3', '-q'], cwd: '/p/x', profile: 'Python' }),
  ]);
  expect(dismissed).toEqual(['old']);
});
