import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Lines that people let agents run, of every length and kind of answer. */
const COMMANDS = [
  'ls -la src',
  'git status && git diff --stat',
  'npm run test -- --watch=false',
  'grep -rn "createServer" --include=*.ts src | head -20',
  'rm -rf dist && npm run build > build.log 2>&1',
  'for f in src/*.ts; do wc -l "$f"; done',
  'cd src && cat main.ts',
  "bash -c 'ls; rm -rf node_modules'",
  'find . -name "*.test.ts" -exec npx vitest {} +',
  'cat package.json | jq -r ".scripts | keys[]"',
  'docker compose up -d && curl -s http://localhost:3000/health',
  'git commit -m "$(cat <<\'EOF\'\nA message\nof two lines\nEOF\n)"',
];
const RULES = {
  allow: ['Bash(npm run *)', 'Bash(git commit:*)', 'Read(./**)'],
  deny: ['Bash(rm:*)', 'Bash(curl *)', 'Read(./.env)', 'Edit(/dist/**)'],
  ask: ['Bash(git push *)'],
};

/** Questions in one run, and those before which nothing is counted: the start and the first compilation. */
const QUESTIONS = 20_000;
const WARM_UP = 2_000;

/** Decisions a second of `lathe permissions check` once it has started, over one pipe. */
export async function decisionsPerSecond(entry) {
  const folder = mkdtempSync(join(tmpdir(), 'lathe-bench-decisions-'));
  mkdirSync(join(folder, 'src'));
  for (const name of ['a.ts', 'b.ts', 'main.ts']) writeFileSync(join(folder, 'src', name), 'x\n');
  try {
    const child = spawn(process.execPath, [entry, 'permissions', 'check'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const question = (i) =>
      `${JSON.stringify({ id: i, tool: 'Bash', input: { command: COMMANDS[i % COMMANDS.length] }, rules: RULES })}\n`;
    const answered = countLines(child.stdout);
    child.stdin.write(Array.from({ length: WARM_UP }, (_, i) => question(i)).join(''));
    await answered(WARM_UP);
    const questions = Array.from({ length: QUESTIONS }, (_, i) => question(i)).join('');
    const startedAt = performance.now();
    child.stdin.end(questions);
    await answered(WARM_UP + QUESTIONS);
    return QUESTIONS / ((performance.now() - startedAt) / 1_000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives a function that waits until so many lines have come in all. */
function countLines(stream) {
  let lines = 0;
  let waiting = { count: Number.POSITIVE_INFINITY, done: () => {}, fail: () => {} };
  const look = () => {
    if (lines >= waiting.count) waiting.done();
  };
  stream.on('data', (bytes) => {
    for (const byte of bytes) if (byte === 10) lines += 1;
    look();
  });
  stream.on('end', () => {
    look();
    waiting.fail(new Error(`permissions check ended after ${lines} answers`));
  });
  return (count) =>
    new Promise((done, fail) => {
      waiting = { count, done, fail };
      look();
    });
}
