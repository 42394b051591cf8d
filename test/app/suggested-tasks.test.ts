import { expect, test } from 'vitest';
import { suggestedTasks } from '../../src/main/app/suggested-tasks';

test.each([
  ['an empty folder', [], [], ['Start a small web page here', /command-line tool/, /Interview me/]],
  ['only hidden files', ['.git', '.env'], [], [/web page/, /command-line tool/, /Interview me/]],
  [
    'a package with tests',
    ['.git', 'README.md', 'package.json', 'src'],
    ['test', 'build'],
    ['Run the tests, and explain what fails', /how this project is built/, /last ten commits/],
  ],
  [
    'code without tests',
    ['main.py', 'util.py'],
    [],
    [/how this project is built/, /first test/, 'Write a README for this project'],
  ],
  ['tests beside the code', ['a.ts', 'a.test.ts'], [], [/Run the tests/, /built/, /README/]],
  [
    'documents',
    ['README.txt', 'notes.md'],
    [],
    ['Check that README.txt still says what is true', /what is in this folder/, /duplicates/],
  ],
])('%s gets three tasks that fit', (_, names, scripts, expected) => {
  const tasks = suggestedTasks({ names, scripts });
  expect(tasks).toHaveLength(3);
  expected.forEach((one, at) => {
    expect(tasks[at]).toMatch(one);
  });
});
