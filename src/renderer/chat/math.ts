/** A node of a Markdown tree, as far as formulas are concerned. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { hProperties?: { className?: string[] } };
  position?: { start: { offset?: number }; end: { offset?: number } };
}

const TEX = /(?<code>`+)[\s\S]*?\k<code>|\\\((?<inline>[^\n]+?)\\\)|\\\[(?<block>[\s\S]+?)\\\]/g;

/** Writes formulas in TeX's own brackets, `\(…\)` and `\[…\]`, with dollars. Code is left alone. Pure. */
export function withDollars(text: string): string {
  if (!/\\[([]/.test(text) || /^(?: {0,3}(?:```|~~~)| {4}|\t)/.test(text)) return text;
  return text.replace(TEX, (whole: string, ...rest: unknown[]) => {
    const { inline, block } = rest.at(-1) as { readonly inline?: string; readonly block?: string };
    if (inline !== undefined) return `$${inline.trim()}$`;
    return block === undefined ? whole : `$$${block.trim().replace(/\s*\n\s*/g, ' ')}$$`;
  });
}

/**
 * A remark plugin that takes dollars for what they are in prose: amounts of money and shell variables become text again, and
 * what stands between two dollars on each side becomes a formula on a line of its own.
 */
export const readDollars = () => (tree: Node, file: { toString(): string }) =>
  readIn(tree, String(file));

function readIn(node: Node, source: string): void {
  if (node.children === undefined) return;
  node.children = node.children.map((child) => {
    if (child.type !== 'inlineMath') {
      readIn(child, source);
      return child;
    }
    const end = child.position?.end.offset ?? 0;
    const raw = source.slice(child.position?.start.offset ?? 0, end);
    if (raw.startsWith('$$')) {
      child.data = {
        ...child.data,
        hProperties: { className: ['language-math', 'math-display'] },
      };
      return child;
    }
    return isFormula(raw.slice(1, -1), source[end] ?? '') ? child : { type: 'text', value: raw };
  });
}

/** Returns true when what stands between two dollars is a formula: nothing blank at its ends, no word after it. */
const isFormula = (inner: string, next: string): boolean =>
  !/^\s|\s$/.test(inner) && !/\w/.test(next);
