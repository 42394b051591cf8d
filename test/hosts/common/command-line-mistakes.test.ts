import { expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/main/hosts/common/command-line/parse';

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e';

test.each<[string, string[], RegExp, RegExp?]>([
  [
    'a mirror of what is not kept',
    ['-p', 'x', '--session-mirror', '--no-session-persistence'],
    /either --session-mirror or --no-session-persistence/,
  ],
  [
    'unknown flag',
    ['-p', 'x', '--output-fromat', 'json'],
    /Unknown flag --output-fromat/,
    /--output-format/,
  ],
  [
    'unknown flag with a case slip',
    ['-p', 'x', '--allowedtools', 'Read'],
    /Unknown flag/,
    /--allowedTools/,
  ],
  ['unknown flag like none', ['--frobnicate'], /Unknown flag --frobnicate/, /^See lathe --help/],
  ['missing value', ['-p', 'x', '--model'], /--model needs a value/],
  ['a flag where a value belongs', ['-p', 'x', '--model', '--verbose'], /--model needs a value/],
  ['an empty list', ['-p', 'x', '--allowedTools', '--verbose'], /--allowedTools needs a value/],
  ['a value for a switch', ['-p', 'x', '--verbose=1'], /--verbose takes no value/],
  [
    'a wrong format',
    ['-p', 'x', '--output-format', 'xml'],
    /must be one of text, json, stream-json, not "xml"/,
  ],
  ['a wrong mode', ['-p', 'x', '--permission-mode', 'yolo'], /--permission-mode must be one of/],
  [
    'two wishes for questions',
    ['-p', 'x', '--permission-mode', 'plan', '--dangerously-skip-permissions'],
    /either --permission-mode or --dangerously-skip-permissions/,
  ],
  ['no turns', ['-p', 'x', '--max-turns', '0'], /--max-turns must be a whole number above 0/],
  ['half a turn', ['-p', 'x', '--max-turns', '1.5'], /--max-turns/],
  [
    'a negative budget',
    ['-p', 'x', '--max-budget-usd', '-1'],
    /--max-budget-usd must be an amount above 0/,
  ],
  ['a budget without an end', ['-p', 'x', '--max-budget-usd', '1e999'], /--max-budget-usd/],
  ['a session id that is none', ['-p', 'x', '--session-id', '../x'], /--session-id must be a UUID/],
  ['two ways to go on', ['-p', 'x', '-c', '-r', UUID], /either --continue or --resume/],
  [
    'questions of no driver',
    ['-p', 'x', '--permission-prompt-tool', 'stdio'],
    /needs --input-format/,
  ],
  ['a tool that asks', ['-p', 'x', '--permission-prompt-tool', 'zenity'], /must be stdio/],
  ['a source of settings', ['-p', 'x', '--setting-sources', 'user,home'], /not "home"/],
  ['an id for an old session', ['-p', 'x', '-r', UUID, '--session-id', UUID], /--fork-session/],
  ['stream in, text out', ['-p', '--input-format', 'stream-json'], /--output-format stream-json/],
  [
    'two sources of prompts',
    ['-p', 'x', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    /standard input only/,
  ],
  ['partial text', ['-p', 'x', '--include-partial-messages'], /--output-format stream-json/],
  ['a window flag', ['-p', 'x', '--port', '1'], /does not work with -p/],
  ['a headless flag', ['--model', 'opus'], /--model only works with -p/],
  ['auth without a word', ['auth'], /lathe auth status/, /ANTHROPIC_API_KEY/],
  ['an unknown word of auth', ['auth', 'login'], /lathe auth status/, /ANTHROPIC_API_KEY/],
  ['a word behind a logout', ['auth', 'logout', 'now'], /lathe auth status/, /ANTHROPIC_API_KEY/],
  ['a word behind a status', ['auth', 'status', 'now'], /lathe auth status/, /ANTHROPIC_API_KEY/],
  ['a flag of a run', ['auth', 'status', '--model', 'opus'], /--model/],
  ['two folders', ['fix', 'it'], /One folder at a time/, /lathe -p/],
  [
    'a port that is none',
    ['serve', '--port', '70000'],
    /--port must be a number from 0 to 65535, not 70000/,
  ],
  ['a port in words', ['serve', '--port', 'http'], /--port must be/],
])('%s', (_, words, message, fix = /lathe --help/) => {
  expect(parseCommandLine(words, '/home/ann/project')).toMatchObject({
    ok: false,
    error: {
      code: 'usage',
      message: expect.stringMatching(message),
      fix: expect.stringMatching(fix),
    },
  });
});
