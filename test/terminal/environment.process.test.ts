import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  commandEnvironment,
  shellEnvironment,
  withoutAppImage,
} from '../../src/main/terminal/child-env';
import {
  cameFromTerminal,
  createShellEnv,
  loginEnvironment,
  parseTold,
} from '../../src/main/terminal/shell-env';
import { isSecret } from '../../src/shared/secret-variables';
import { soon } from '../support/soon';

describe('the environment of terminals', () => {
  test.each([
    ['ANTHROPIC_API_KEY', true],
    ['ANTHROPIC_AUTH_TOKEN', true],
    ['ANTHROPIC_CUSTOM_HEADERS', true],
    ['OTEL_EXPORTER_OTLP_HEADERS', true],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', true],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', false],
    ['ANTHROPIC_FOUNDRY_API_KEY', true],
    ['ANTHROPIC_BASE_URL', false],
    ['ANTHROPIC_MODEL', false],
    ['CLAUDE_CODE_OAUTH_TOKEN', true],
    ['AWS_SECRET_ACCESS_KEY', true],
    ['AWS_SESSION_TOKEN', true],
    ['AWS_BEARER_TOKEN_BEDROCK', true],
    ['AWS_REGION', false],
    ['OPENAI_API_KEY', true],
    ['GEMINI_API_KEY', true],
    ['HF_TOKEN', true],
    ['LATHE_HOME', true],
    ['LATHE_TERMINAL', true],
    ['GITHUB_TOKEN', false],
    ['NPM_TOKEN', false],
    ['PATH', false],
    ['constructor', false],
  ])('%s is a secret: %s', (name, secret) => {
    expect(isSecret(name)).toBe(secret);
  });

  test('THREATS 13: keeps what is the user’s, drops keys and what belongs to the asking process', () => {
    const env = shellEnvironment(
      {
        ...{ PATH: '/bin', HOME: '/home/x', LANG: 'de_DE.UTF-8', MINE: 'yes', EMPTY: '' },
        ...{ ANTHROPIC_API_KEY: 'k', ELECTRON_RUN_AS_NODE: '1', TMUX: '/tmp/tmux', COLUMNS: '7' },
        CHROME_DESKTOP: 'lathe.desktop',
        ...{ npm_config_cache: '/c', INIT_CWD: '/w', TERM: 'dumb', GONE: undefined },
      },
      'linux',
    );
    expect(env).toEqual({
      ...{ PATH: '/bin', HOME: '/home/x', LANG: 'de_DE.UTF-8', MINE: 'yes', EMPTY: '' },
      ...{ TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    });
  });

  test.each([
    [{}, 'linux', 'C.UTF-8'],
    [{}, 'darwin', 'en_US.UTF-8'],
    [{ LANG: 'C' }, 'linux', 'C.UTF-8'],
    [{ LANG: 'fr_FR.utf8' }, 'linux', 'fr_FR.utf8'],
    [{ LC_ALL: 'en_GB.UTF-8' }, 'linux', undefined],
  ] as const)('%o on %s speaks %s', (env, platform, lang) => {
    expect(shellEnvironment(env, platform)['LANG']).toBe(lang);
  });

  test('folders of `npm start` are not put in front of the user’s programs', () => {
    const env = shellEnvironment({
      npm_package_json: '/apps/lathe/package.json',
      PATH: '/apps/lathe/node_modules/.bin:/apps/node_modules/.bin:/node_modules/.bin:/x/node-gyp-bin:/home/me/other/node_modules/.bin:/usr/bin',
    });
    expect(env['PATH']).toBe('/home/me/other/node_modules/.bin:/usr/bin');
  });

  test('the agent’s commands open no pager', () => {
    expect(commandEnvironment({ PAGER: 'less' })).toMatchObject({ PAGER: 'cat', GIT_PAGER: 'cat' });
  });
});

test.each([
  [{ PATH: '/usr/bin', LD_LIBRARY_PATH: '/opt/x' }, null],
  [
    {
      APPDIR: '/tmp/.mount_x',
      APPIMAGE: '/home/ann/Lathe.AppImage',
      OWD: '/home/ann',
      PATH: '/tmp/.mount_x:/tmp/.mount_x/usr/sbin:/usr/bin:/tmp/.mount_xy/bin',
      LD_LIBRARY_PATH: '/tmp/.mount_x/usr/lib',
      XDG_DATA_DIRS: './share:/tmp/.mount_x/usr/share:/usr/share',
      HOME: '/home/ann',
    },
    { PATH: '/usr/bin:/tmp/.mount_xy/bin', XDG_DATA_DIRS: './share:/usr/share', HOME: '/home/ann' },
  ],
])('of %j an AppImage put in what %j lacks', (env, without) => {
  expect(withoutAppImage(env)).toEqual(without ?? env);
});

describe('the login shell’s environment', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lathe-shell-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A "shell" of our own: start-up files and flags are in its hands. */
  const fakeShell = async (script: string) => {
    const path = join(folder, 'shell');
    await writeFile(path, `#!/bin/bash\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const options = (env: Record<string, string>, timeoutMs = 10_000) => ({
    env: { PATH: '/usr/bin:/bin', HOME: folder, ...env },
    execPath: process.execPath,
    timeoutMs,
  });

  test('comes from a real bash with its start-up files, whatever they print', async () => {
    await writeFile(
      join(folder, '.bash_profile'),
      'echo Welcome; export FROM_PROFILE=$\'two\\nlines "=" ✓\'; export PATH="/opt/mine:$PATH"; export OPENAI_API_KEY=k\n',
    );
    const login = await loginEnvironment(
      options({ SHELL: '/bin/bash', ANTHROPIC_API_KEY: 'ours', OWN: 'yes' }),
    );
    expect(login).toMatchObject({
      env: {
        FROM_PROFILE: 'two\nlines "=" ✓',
        PATH: expect.stringMatching(/^\/opt\/mine:\/.*bin/),
        // Keys of start-up files connect us; our own are not told to the shell, and stay.
        ANTHROPIC_API_KEY: 'ours',
        OPENAI_API_KEY: 'k',
        OWN: 'yes',
      },
      problem: null,
    });
    for (const name of ['SHLVL', '_', 'ELECTRON_RUN_AS_NODE', 'LATHE_RESOLVING_ENVIRONMENT'])
      expect(login.env).not.toHaveProperty(name);
    const env = await createShellEnv({ ...options({}), env: login.env }).forCommands();
    expect(env).toMatchObject({ FROM_PROFILE: 'two\nlines "=" ✓' });
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'])
      expect(env).not.toHaveProperty(name);
  });

  test('only completes an environment of our own that goes first', async () => {
    await writeFile(
      join(folder, '.bash_profile'),
      'export MORE=more OWN=theirs PATH="/opt/mine:/usr/bin"; pwd > "$HOME/asked-in"\n',
    );
    const own = options({ SHELL: '/bin/bash', OWN: 'ours' });
    const env = await createShellEnv({ ...own, completes: true }).forCommands();
    expect(env).toMatchObject({ MORE: 'more', OWN: 'ours', PATH: '/usr/bin:/bin:/opt/mine' });
    expect(await readFile(join(folder, 'asked-in'), 'utf8')).toBe(`${folder}\n`);
  });

  test('is told by a shell that only starts programs with words in quotes', async () => {
    const shell = await fakeShell(`shift
case $(sed "s/'[^']*'//g" <<< "$1") in *['|&;$"']*) exit 1 ;; esac
export FROM_SHELL="a b"; eval "$1"`);
    const { env } = await loginEnvironment(options({ SHELL: shell }));
    expect(env).toMatchObject({ FROM_SHELL: 'a b' });
  });

  /** Shells, a start-up file of theirs, and what it sets a variable with. */
  const SHELLS = [
    ['bash', '.bash_profile', 'export FROM_RC=yes'],
    ['zsh', '.zshrc', 'export FROM_RC=yes'],
    ['dash', '.profile', 'export FROM_RC=yes'],
    ['ksh', '.profile', 'export FROM_RC=yes'],
    ['mksh', '.profile', 'export FROM_RC=yes'],
    ['tcsh', '.tcshrc', 'setenv FROM_RC yes'],
    ['fish', '.config/fish/config.fish', 'set -gx FROM_RC yes'],
    ['xonsh', '.xonshrc', '$FROM_RC = "yes"'],
    ['nu', '.config/nushell/config.nu', '$env.FROM_RC = "yes"'],
  ] as const;
  for (const [name, file, sets] of SHELLS) {
    const shell = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    test.skipIf(shell === '')(`is told by ${name}`, async () => {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${sets}\n`);
      const login = await loginEnvironment(options({ SHELL: shell }));
      expect(login).toMatchObject({ env: { FROM_RC: 'yes' }, problem: null });
    });
  }

  describe.skipIf(!existsSync('/bin/zsh'))('of a real zsh', () => {
    test.each([
      ['asks for an answer', 'read -q "yes?Update? "; print; export FROM_RC=yes', null],
      ['prints what looks like an answer', 'print "FROM_RC=no\\0"; export FROM_RC=yes', null],
      ['becomes another shell', 'export FROM_RC=yes; exec /bin/bash -l', 'told no environment'],
    ])('that %s is told, or its lack is', async (_what, rc, why) => {
      await writeFile(join(folder, '.zshrc'), `${rc}\n`);
      const login = await loginEnvironment(options({ SHELL: '/bin/zsh' }, 60_000));
      if (why === null) expect(login).toMatchObject({ env: { FROM_RC: 'yes' }, problem: null });
      else expect(login.problem?.message).toContain(why);
    });

    test('that waits for ever can be gone on without, and nothing of it stays', async () => {
      const started = join(folder, 'started');
      await writeFile(
        join(folder, '.zshrc'),
        `sleep 1000 &\necho $$ > "$HOME/group"; mv "$HOME/group" "${started}"; wait\n`,
      );
      const skipped = new AbortController();
      const asked = loginEnvironment({
        ...options({ SHELL: '/bin/zsh' }, 60_000),
        watcher: { onAsking: () => {}, skip: skipped.signal },
      });
      const group = Number(await soon(() => readFile(started, 'utf8')));
      skipped.abort();
      expect((await asked).problem?.message).toContain('was not waited for');
      await soon(() => expect(() => process.kill(-group, 0)).toThrow('ESRCH'));
    });
  });

  test('is told by Node where `env` cannot', async () => {
    const shell = await fakeShell(
      'shift; export FROM_SHELL="a b"; eval "$(printf %s "$1" | sed s,/usr/bin/env,false,)"',
    );
    const node = join(folder, 'node');
    await writeFile(
      node,
      `#!/bin/bash\ntouch "$HOME/asked-node"\nexec '${process.execPath}' "$@"\n`,
    );
    await chmod(node, 0o755);
    const { env } = await loginEnvironment({ ...options({ SHELL: shell }), execPath: node });
    expect(env).toMatchObject({ FROM_SHELL: 'a b' });
    expect(await readFile(join(folder, 'asked-node'), 'utf8')).toBe('');
  });

  test('is asked for once', async () => {
    const shell = await fakeShell(`echo x >> ${folder}/asked; shift; eval "$1"`);
    const env = createShellEnv({ ...options({ SHELL: shell }), completes: true });
    await Promise.all([env.forShells(), env.forCommands(), env.forShells()]);
    expect(await readFile(`${folder}/asked`, 'utf8')).toBe('x\n');
  });

  test.each([
    ['fails', 'exit 1', 'told no environment'],
    ['says nothing useful', 'echo hello', 'told no environment'],
    [
      'hangs and ignores signals',
      "trap '' TERM HUP INT; while :; do sleep 1; done",
      'did not tell its environment within 0.3 s',
    ],
    ['floods', 'yes', '(told no environment|did not tell its environment within 0.3 s)'],
  ])(
    'a shell that %s costs only the time limit: our own environment is used',
    async (_what, script, why) => {
      const shell = await fakeShell(script);
      const own = options({ SHELL: shell, OWN: 'yes' }, 300);
      const env = await createShellEnv({ ...own, completes: true }).forShells();
      expect(env).toMatchObject({ OWN: 'yes', PATH: '/usr/bin:/bin' });
      expect(await loginEnvironment(own)).toEqual({
        env: own.env,
        problem: {
          file: shell,
          message: expect.stringMatching(`The login shell ${why}, so`),
          level: 'warning',
        },
      });
    },
  );

  test('no shell is started by a process that came from one', async () => {
    const shell = await fakeShell(`touch ${folder}/asked`);
    const own = options({ SHELL: shell, SHLVL: '1', TERM: 'xterm' });
    await createShellEnv({ ...own, completes: true }).forShells();
    expect(await loginEnvironment(own)).toEqual({ env: own.env, problem: null });
    const { access } = await import('node:fs/promises');
    await expect(access(`${folder}/asked`)).rejects.toThrow();
  });

  test.each([
    [{ PATH: '/bin', TERM: 'xterm', SHLVL: '1' }, true],
    [{ PATH: '/bin', TERM: 'xterm', SHLVL: '0' }, false],
    [{ PATH: '/bin', SHLVL: '1' }, false],
    [{ PATH: '/bin', TERM: 'xterm' }, false],
  ])('%o came from a terminal: %s', (env, did) => {
    expect(cameFromTerminal(env)).toBe(did);
  });

  test.each([
    ['/bin/bash', '/bin/bash', '/bin/bash'],
    ['bash', '/bin/bash', '/bin/bash'],
    ['/no/such/shell', '/bin/bash', '/bin/bash'],
    // Lines are judged as bash reads them, so bash runs them.
    ['/bin/sh', '/bin/sh', '/bin/bash'],
  ])('SHELL=%s: people get %s, commands %s', (named, shell, command) => {
    const env = createShellEnv(options({ SHELL: named }));
    expect([env.shell, env.commandShell]).toEqual([shell, command]);
  });

  test('commands never run in a shell with a syntax of its own', async () => {
    const fish = join(folder, 'fish');
    await writeFile(fish, '#!/bin/sh\n');
    await chmod(fish, 0o755);
    const env = createShellEnv(options({ SHELL: fish }));
    expect([env.shell, env.commandShell]).toEqual([fish, '/bin/bash']);
  });

  test.each([
    ['MA=1\0B=\0=odd\0noneM', { A: '1', B: '' }],
    ['MM', null],
    ['M', null],
    ['', null],
  ])('%j tells %o', (output, env) => {
    expect(parseTold(output, 'M')).toEqual(env);
  });
});
