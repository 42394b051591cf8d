import { expect, it } from 'vitest';
import { inFileOrder, parseGrepOutput } from '../../../../src/main/engine/tools/builtin/grep/grep';

const line = (text: string) => {
  const [file = '', rest = ''] = text.split('|');
  return text === '--' ? { file: null, rest: '--' } : { file, rest };
};
const ordered = (...lines: string[]) =>
  inFileOrder(lines.map(line)).map(({ file, rest }) => (file === null ? rest : `${file}|${rest}`));

it('puts files in the order of their paths, each with its lines as they came', () => {
  expect(ordered('b|1', 'b|2', 'a-b|1', 'a/z|9', 'a/z|10')).toEqual([
    'a/z|9',
    'a/z|10',
    'a-b|1',
    'b|1',
    'b|2',
  ]);
});

it('keeps what separates lines within a file, and separates files where there is context', () => {
  expect(ordered('b|1', '--', 'b|7', '--', 'a|3', '--', 'c|4')).toEqual([
    'a|3',
    '--',
    'b|1',
    '--',
    'b|7',
    '--',
    'c|4',
  ]);
});

it('has nothing to do without lines', () => {
  expect(ordered()).toEqual([]);
});

it('tells separators and remarks from file names with line ends', () => {
  const output =
    './a\x001:x\n--\n./b\nc\x002:y\n./b: WARNING: stopped searching binary file after match (found "\\0" byte around offset 9)\n./d\x003:z\n';
  expect(parseGrepOutput(output, false).map(({ file }) => file)).toEqual([
    './a',
    null,
    './b\nc',
    null,
    './d',
  ]);
});
