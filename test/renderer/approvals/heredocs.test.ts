import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandParts } from '../../../src/renderer/approvals/heredocs';

const cut = (command: string) =>
  commandParts(command).map(({ kind, start, end, language, target }) =>
    kind === 'shell' ? command.slice(start, end) : [command.slice(start, end), language, target],
  );

describe('commandParts', () => {
  it.each([
    ['ls -l', ['ls -l']],
    [
      "cat > src/a.py <<'EOF'\nimport os\nEOF\nls",
      ["cat > src/a.py <<'EOF'\n", ['import os\n', 'py', 'src/a.py'], 'EOF\nls'],
    ],
    [
      'python3 - <<"X" arg\nprint(1)\n\nX',
      ['python3 - <<"X" arg\n', ['print(1)\n\n', 'python', 'python3'], 'X'],
    ],
    [
      'sudo tee -a "/etc/my hosts" <<-END\n\ta\n\tEND\n',
      [
        'sudo tee -a "/etc/my hosts" <<-END\n',
        ['\ta\n', '/etc/my hosts'.slice(5), '/etc/my hosts'],
        '\tEND\n',
      ],
    ],
    [
      'cat <<A <<B\none\nA\ntwo\nB\ndone',
      ['cat <<A <<B\n', ['one\n', '', ''], 'A\n', ['two\n', '', ''], 'B\ndone'],
    ],
    ['cat <<EOF\nno end', ['cat <<EOF\nno end']],
    ['cat <<EOF\nEOF\nls', ['cat <<EOF\nEOF\nls']],
    ['cat <<< "EOF"\nx\nEOF', ['cat <<< "EOF"\nx\nEOF']],
    ['echo $((1 << 3))\nx', ['echo $((1 << 3))\nx']],
  ])('%j', (command, parts) => expect(cut(command)).toEqual(parts));

  it('loses, moves and changes no character', () => {
    const piece = fc.constantFrom(
      'cat ',
      '<<',
      '<<-',
      "'E'",
      'E',
      '\n',
      '\nE\n',
      'x',
      '> a.ts ',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const command = pieces.join('');
        const parts = commandParts(command);
        expect(parts.map(({ start, end }) => command.slice(start, end)).join('')).toBe(command);
        for (const { start, end } of parts) expect(end).toBeGreaterThan(start);
      }),
    );
  });
});
