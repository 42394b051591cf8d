import type { Node, Parser } from 'web-tree-sitter';

/** Redirections in front of one here-string that are put behind it. */
const MAX_MOVES = 10;

/**
 * Returns a script with its here-strings in front of redirections of output (`cat > f <<< x`): it means the same, and the
 * grammar knows only that.
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
      const output = sign.previousSibling;
      const input = sign.nextSibling;
      // The grammar sees a mistake of two signs, and a file that is read.
      if (sign.type !== 'ERROR' || sign.text !== '<<' || !output || !input) continue;
      const end = input.childForFieldName('destination')?.endIndex;
      const isHereString =
        input.type === 'file_redirect' &&
        input.startIndex === sign.endIndex &&
        /^<(?![<>&(])/.test(input.text);
      const isOutput = output.type === 'file_redirect' && /^(?:\d*|&)>/.test(output.text);
      const gap = text.slice(output.endIndex, sign.startIndex);
      if (!isHereString || !isOutput || end === undefined || gap.trim() !== '') continue;
      const here = text.slice(sign.startIndex, end);
      return `${text.slice(0, output.startIndex)}${here}${gap || ' '}${output.text}${text.slice(end)}`;
    }
  }
  return null;
}
