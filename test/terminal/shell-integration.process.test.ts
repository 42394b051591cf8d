import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchShell } from '../../src/main/terminal/shell-integration';
import { Prompts } from '../../src/shared/prompt-marks';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, spawned, until } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

/** Start-up files of a user who has set up a good deal, by shell. All end with the same prompt. */
const OWN_FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bash: {
    '.bashrc': `set -u
alias greet='echo hello from my alias'
PROMPT_COMMAND='LAST=$?; PS1="[$LAST] mine> "'`,
  },
  zsh: {
    '.zshenv': 'export FROM_ENV=yes',
    '.zshrc': `setopt prompt_subst no_unset
alias greet='echo hello from my alias'
precmd_functions=($precmd_functions mine)
mine() { LAST=$?; }
PS1='[$LAST] mine> '`,
  },
};

/** Returns where a shell stands, or null where this machine has none. */
const pathOf = (shell: string): string | null =>
  ['/bin', '/usr/bin'].map((folder) => join(folder, shell)).find((p) => existsSync(p)) ?? null;

describe.each(['bash', 'zsh'])('a %s of a user', (name) => {
  const shell = pathOf(name);

  test.runIf(shell !== null)('has their files, and says prompts, ends and folders', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lathe-home-'));
    const files = Object.entries(OWN_FILES[name] ?? {});
    for (const [file, text] of files) await writeFile(join(home, file), `${text}\n`);
    const odd = join(home, 'größe und %7 ✓');
    await mkdir(odd);
    const env = { PATH: '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    const launch = await launchShell(shell ?? '', env, join(terminals.folder, 'integration'));
    const spec = bash(terminals, name, { kind: 'shell', cwd: home, ...launch });
    await spawned(terminals.client, spec);
    const info = async () => (await terminals.client.list()).find(({ id }) => id === spec.id);
    const pane = await TestPane.open(terminals.client, spec.id);
    const ends: (number | null)[] = [];
    const prompts = new Prompts(pane.terminal, ({ exitCode }) => ends.push(exitCode));
    const ready = (count: number) => pane.until(() => prompts.list().length >= count);
    await pane.untilText('[0] mine>');
    pane.type('greet\r');
    await pane.untilText('\nhello from my alias');
    pane.type('(exit 3)\r');
    await pane.untilText('[3] mine>');
    pane.type('\r');
    pane.type(`cd '${odd}'\r`);
    await until(async () => (await info())?.cwd === odd);
    pane.type('sleep 0; false\r');
    await pane.untilText('[1] mine>');
    await ready(5);
    expect(ends).toEqual([0, 3, 0, 1]);
    pane.type('echo left: $(env | grep -cE ^LATHE_ZDOTDIR=\\|^ZDOTDIR=\\|^FROM_ENV=)\r');
    await pane.untilText(name === 'zsh' ? '\nleft: 1' : '\nleft: 0');
    // A window that comes later has the same prompts, with their ends.
    const late = await TestPane.open(terminals.client, spec.id);
    const lateEnds: (number | null)[] = [];
    const latePrompts = new Prompts(late.terminal, ({ exitCode }) => lateEnds.push(exitCode));
    await late.untilText('\nleft: ');
    await late.until(() => latePrompts.list().length === prompts.list().length);
    expect(lateEnds.slice(0, 4)).toEqual([0, 3, 0, 1]);
    expect(latePrompts.list().map(({ marker }) => marker.line)).toEqual(
      prompts.list().map(({ marker }) => marker.line),
    );
    pane.close();
    late.close();
    await terminals.client.kill(spec.id, 0);
    await rm(home, { recursive: true, force: true });
  });
});

describe.each(['bash', 'zsh', 'fish', 'dash'])('modes that output left on in %s', (name) => {
  const shell = pathOf(name);
  /** Prints what turns modes on, as a file with such sequences in it does. */
  const LEAVE = "printf '\\033[?2004h\\033[?1003h\\033[?1004h'";

  test.runIf(shell !== null)('are off where nobody reads what they are about', async () => {
    const home = await mkdtemp(join(tmpdir(), 'lathe-home-'));
    const env = { PATH: '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    const launch = await launchShell(shell ?? '', env, join(terminals.folder, 'integration'));
    const spec = bash(terminals, name, { kind: 'shell', cwd: home, ...launch });
    await spawned(terminals.client, spec);
    const pane = await TestPane.open(terminals.client, spec.id);
    new Prompts(pane.terminal);
    const isBracketed = () => pane.terminal.modes.bracketedPasteMode;
    const brackets = name !== 'dash';
    pane.type("printf 'be%s\\n' gun\r");
    await pane.untilText('begun');
    await pane.until(() => isBracketed() === brackets);
    // A program that reads whole lines does not know of brackets.
    pane.type(`${LEAVE}; cat\r`);
    await pane.until(() => pane.terminal.modes.mouseTrackingMode !== 'none');
    await pane.until(() => !isBracketed());
    pane.type('read\r');
    await pane.untilText('\nread\nread');
    pane.type('\x04');
    await pane.until(() => isBracketed() === brackets);
    if (brackets)
      expect([pane.terminal.modes.mouseTrackingMode, pane.terminal.modes.sendFocusMode]).toEqual([
        'none',
        false,
      ]);
    if (name === 'bash') {
      pane.type("bind 'set enable-bracketed-paste off'\r");
      pane.type(`${LEAVE}; printf 'le%s\\n' ft\r`);
      await pane.untilText('left');
      await pane.until(() => !isBracketed());
    }
    pane.close();
    await terminals.client.kill(spec.id, 0);
    await rm(home, { recursive: true, force: true });
  });
});

test('fish reads our file after the user’s, and other shells start as they are', async () => {
  const folder = join(terminals.folder, 'it’s');
  const fish = await launchShell('/usr/bin/fish', { A: 'b' }, folder);
  expect(fish.argv).toEqual(['/usr/bin/fish', '-i', '-C', `source '${folder}/lathe.fish'`]);
  expect(existsSync(join(folder, 'lathe.fish'))).toBe(true);
  const quoted = await launchShell('fish', {}, join(terminals.folder, "it's"));
  expect(quoted.argv.at(-1)).toContain("it\\'s");
  expect(await launchShell('/bin/dash', { A: 'b' }, folder)).toEqual({
    argv: ['/bin/dash', '-i'],
    env: { A: 'b' },
  });
  expect(await launchShell('/bin/bash', {}, '/dev/null/no')).toEqual({
    argv: ['/bin/bash', '-i'],
    env: {},
  });
});
