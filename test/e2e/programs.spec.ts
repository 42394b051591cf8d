import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { A_WHILE } from './support/app-page';
import { CLIPBOARD, expect, test } from './support/lathe';
import { played } from './support/scripted-app';

test.use(CLIPBOARD);
test.slow();

const isHere = (name: string): boolean =>
  ['/bin', '/usr/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, name)));

/** A program of every day: how it is started, and what is typed until a text shows that it works. */
interface Visit {
  readonly program: string;
  readonly start: string;
  readonly steps: readonly { readonly until: RegExp; readonly type: string }[];
  /** What the screen shows at last, when the picture is taken. */
  readonly shows: RegExp;
  /** Ends it. */
  readonly leave: string;
}

const COLOURS =
  "for i in 0 40 80 120 160 200 240; do printf '\\e[48;2;%d;80;160m  ' $i; done; printf '\\e[0m true\\n'";

const VISITS: readonly Visit[] = [
  {
    program: 'vim',
    start: 'vim -u NONE -N notes.txt',
    steps: [{ until: /~\n/, type: 'ifirst line\rsecond größe ✓\x1b:set number\r' }],
    shows: /1 first line\s+2 second größe ✓/,
    leave: ':wq\r',
  },
  {
    program: 'less',
    start: 'seq 1 500 | less',
    steps: [
      { until: /^1\n2\n/m, type: 'G' },
      { until: /\(END\)/, type: '?250\r' },
    ],
    shows: /^250$/m,
    leave: 'q',
  },
  {
    program: 'htop',
    start: 'htop',
    steps: [{ until: /F1Help/, type: '\x1b[B\x1b[B' }],
    shows: /PID[\s\S]*F1Help/,
    leave: 'q',
  },
  {
    program: 'tmux',
    start: 'tmux -L lathe-$$ -f /dev/null new-session "bash --norc"',
    steps: [
      { until: /\[0\]/, type: 'echo left-$((20 + 1))\r' },
      { until: /left-21/, type: '\x02%' },
    ],
    shows: /left-21.*│/,
    leave: 'tmux kill-server\r',
  },
  {
    program: 'git',
    start:
      "git init -q r && cd r && for n in 1 2 3; do git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m commit-$n; done; GIT_SEQUENCE_EDITOR='vim -u NONE -N' git -c user.name=a -c user.email=a@b.c rebase -i HEAD~2",
    steps: [{ until: /pick \w+ .*commit-2/, type: 'ddp' }],
    shows: /pick \w+ .*commit-3.*\s+pick \w+ .*commit-2/,
    leave: ':q!\r',
  },
  {
    program: 'npm',
    start: 'cd "$OLDPWD"; mkdir pkg && cd pkg && npm init',
    steps: [{ until: /package name:/, type: 'my-package\r' }],
    shows: /version: \(1\.0\.0\)/,
    leave: '\x03',
  },
  {
    program: 'python3',
    start: 'python3 -q',
    steps: [{ until: />>>$/m, type: 'print("sum", 6 * 7)\r' }],
    shows: /sum 42/,
    leave: 'exit()\r',
  },
  {
    program: 'bash',
    start:
      'bash --norc -c \'read -rsp "Password: " x; echo; echo "got $(printf %s "$x" | wc -c)"; read -r\'',
    steps: [{ until: /Password:$/m, type: 'hunter2\r' }],
    shows: /got 7/,
    leave: '\r',
  },
  {
    program: 'printf',
    start: `clear; ${COLOURS}; printf '👩‍👩‍👧 family 日本語 한국어 é\\n'; for i in 10 50 99; do printf '\\rprogress %d%%' $i; done; read -r`,
    steps: [],
    shows: /true[\s\S]*日本語[\s\S]*progress 99%/,
    leave: '\r',
  },
];

/** The program that a visit needs; those of the shell itself are everywhere. */
const neededFor = (program: string): string => (program === 'git' ? 'vim' : program);

test('programs of every day work in a shell, and inverse text has the colour of what is behind text, in both themes', async ({
  page,
  lathe,
}, info) => {
  await played({ page, lathe }, [], async (app) => {
    await app.openShell();
    /** The screen without the room right of its lines. */
    const screen = async () => (await app.screenText()).replace(/ +$/gm, '');
    for (const [at, { program, start, steps, shows, leave }] of VISITS.entries()) {
      if (program !== 'printf' && !isHere(neededFor(program))) {
        info.annotations.push({ type: 'not installed', description: neededFor(program) });
        continue;
      }
      await test.step(program, async () => {
        await app.typeInTerminal(start);
        for (const { until, type } of steps) {
          await expect.poll(screen).toMatch(until);
          await page.keyboard.type(type);
        }
        await expect.poll(screen).toMatch(shows);
        expect(await screen()).not.toContain('hunter2');
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          const path = info.outputPath(`${program}-${colorScheme}.png`);
          await page.screenshot({ path, animations: 'disabled' });
        }
        await page.keyboard.type(leave);
        await expect
          .poll(async () => {
            await page.keyboard.type(`echo back-$((${at} + 100))\r`);
            return screen();
          })
          .toContain(`back-${at + 100}`);
      });
    }

    await test.step('inverse text', async () => {
      await app.typeInTerminal("printf '\\e[7m%s\\e[0m\\n' upside-down");
      const inverse = page.locator('.xterm-rows span').filter({ hasText: /^upside-down$/ });
      const seen: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // The page follows the system a moment later.
        await expect(async () => {
          const behind = await page
            .locator('.xterm-scrollable-element')
            .evaluate((element) => getComputedStyle(element).backgroundColor);
          expect(seen).not.toContain(behind);
          await expect(inverse).toHaveCSS('color', behind, { timeout: 2_000 });
          seen.push(behind);
        }).toPass(A_WHILE);
      }
    });
  });
});
