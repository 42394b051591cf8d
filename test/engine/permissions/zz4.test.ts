import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { createFixture } from './support/judge';

test('fuzz', async () => {
  const f = createFixture();
  const tok = fc.constantFrom(
    'ls',
    'echo a',
    'cat a.txt',
    'evil ZAP',
    'evil',
    ' ZAP',
    'echo',
    ';',
    ' ; ',
    '&&',
    ' && ',
    '|',
    ' | ',
    '||',
    '&',
    ' & ',
    '\n',
    '"',
    "'",
    '`',
    '$(',
    ')',
    '(',
    '{ ',
    ' }',
    '}',
    '{',
    '<<EOF\n',
    '\nEOF\n',
    'EOF',
    "<<'EOF'\n",
    '<<-EOF\n',
    '#',
    ' #',
    '\\',
    '\\\n',
    ' ',
    '$',
    '${x',
    'x=',
    'if ',
    'then ',
    'fi',
    '; do ',
    'done',
    'while true',
    'for i in a',
    'case a in ',
    'a) ',
    'esac',
    ';;',
    '!',
    '! ',
    'time ',
    'command ',
    'eval ',
    '"$(',
    '<(',
    '>(',
    '> o',
    '2>&1',
    '$((',
    '))',
    '[[ ',
    '[ ',
    ' ]',
    ' ]]',
    ' -f ',
    'function f ',
    'f() ',
    'f',
    "$'",
    "\\'",
    '\\"',
    'coproc ',
    'in',
    'else ',
    '*',
    '?',
    '~',
    '=',
    'A=1 ',
    '<<<',
    '&>',
    '|&',
    'bash -c ',
    'exec ',
    'builtin ',
    'nohup ',
    'timeout 1 ',
    'xargs ',
    'env ',
    ',',
    '@',
    '%',
    '\t',
    '${x:-',
    '[',
    ']',
    '+=(',
    'select i in a',
    'until false',
    '{ls,',
    '..',
    'EOF\n',
    '<<"EOF"\n',
    '<<\\EOF\n',
    'a=(',
    '$[',
    '-',
    'true',
  );
  const bad: string[] = [];
  const { mkdirSync, chmodSync } = await import('node:fs');
  const bin = path.join(f.home, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'evil'), '#!/bin/sh\necho x > "$MARK"\n');
  chmodSync(path.join(bin, 'evil'), 0o755);
  let allowed = 0,
    n = 0,
    executed = 0;
  const lines = fc.sample(
    fc.array(tok, { minLength: 2, maxLength: 14 }).map((t) => t.join('')),
    { numRuns: Number(process.env['N'] ?? 20000), seed: Number(process.env['SEED'] ?? 1) },
  );
  const { decide } = await import('../../../src/main/engine/permissions/decide');
  const { rulesOf } = await import('./support/judge');
  const rules = rulesOf({ deny: ['Bash(evil:*)'], allow: ['Bash'] });
  for (const line of lines) {
    if (!line.includes('evil')) continue;
    n++;
    const analysis = await f.parser.analyze(line);
    const d = decide(
      { kind: 'shell', tool: 'Bash', command: line, cwd: f.project, analysis, realPaths: {} },
      rules,
      'bypassPermissions',
      f.context,
    );
    if (d.behavior !== 'allow') continue;
    allowed++;
    const dir = mkdtempSync(path.join(f.home, 'x-'));
    writeFileSync(path.join(dir, 'a.txt'), 'x');
    spawnSync('bash', ['-c', line], {
      cwd: dir,
      timeout: 2000,
      stdio: ['ignore', 'ignore', 'ignore'],
      env: {
        PATH: bin + ':' + (process.env['PATH'] ?? ''),
        HOME: dir,
        MARK: path.join(dir, 'MARK'),
      },
    });
    executed++;
    if (existsSync(path.join(dir, 'MARK'))) bad.push(JSON.stringify(line));
    rmSync(dir, { recursive: true, force: true });
  }
  console.log(n, allowed, executed, bad.length, '\n' + bad.slice(0, 40).join('\n'));
  f.remove();
}, 600000);
