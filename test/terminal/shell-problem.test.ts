import { expect, it } from 'vitest';
import { shellProblem } from '../../src/main/terminal/shell-env';

it.each([
  [undefined, false],
  ['', false],
  [process.execPath, false],
  ['/nowhere/at/all/sh', true],
  ['sh', true],
])('the shell %j of commands is told as ignored: %s', (shell, isTold) => {
  const found = shellProblem(shell === undefined ? {} : { CLAUDE_CODE_SHELL: shell });
  expect(found?.field).toBe(isTold ? 'CLAUDE_CODE_SHELL' : undefined);
});
