import type { Node, Parser } from 'web-tree-sitter';

/** Redirections in front of one here-string that are put behind it. */
const MAX_MOVES = 10;

/**
 * Returns a script with its here-strings in front of other redirections (`cat > f <<< x`): it means the same, and the
 * grammar knows only that. A file in front of one is opened, but the here-string is the input: it gets another descriptor.
 */
export function hereStringsFirst(script: string, parser: Parser): string {
  let text = script;
  for (let moves = 0; moves < MAX_MOVES && text.includes('<<<'); moves++) {
    const tree = parser.parse(text);
    if (!tree) return text;
    try {
      const moved = tree.rootNode.hasError ? firstMoved(tree.rootNode, text) : null;
      if (moved === null) return text;
      text = moved;
    } finally {
      tree.delete();
    }
  }
  return text;
}

/** Returns the text with the first such here-string moved; null when there is none. */
function firstMoved(root: Node, text: string): string | null {
  for (const statement of root.descendantsOfType('redirected_statement')) {
    for (const sign of statement?.children ?? []) {
      const before = sign.previousSibling;
      const input = sign.nextSibling;
      // The grammar sees a mistake of two signs, and a file that is read.
      if (sign.type !== 'ERROR' || sign.text !== '<<' || !before || !input) continue;
      const end = input.childForFieldName('destination')?.endIndex;
      const isHereString =
        input.type === 'file_redirect' &&
        input.startIndex === sign.endIndex &&
        /^<(?![<>&(])/.test(input.text);
      const isFile =
        before.type === 'file_redirect' && /^(?:(?:\d*|&)>|\d*<(?![<>&(]))/.test(before.text);
      const gap = text.slice(before.endIndex, sign.startIndex);
      if (!isHereString || !isFile || end === undefined || gap.trim() !== '') continue;
      const here = text.slice(sign.startIndex, end);
      const file = before.text.replace(/^0?</, '9<');
      return `${text.slice(0, before.startIndex)}${here}${gap || ' '}${file}${text.slice(end)}`;
    }
  }
  return null;
}
