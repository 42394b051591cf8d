/** A node of a Markdown tree, as far as tags and alerts are concerned. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { readonly hProperties?: object };
}

/** The titles of alerts, by what stands in their first line (`> [!NOTE]`). */
export const ALERTS: Readonly<Record<string, string>> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
};

/**
 * A remark plugin that draws what models write for pages that read HTML: line breaks, alerts, and texts that fold, which are
 * shown open. All other tags stay the text they are (docs/security.md 9).
 */
export const readKnownTags = () => (tree: Node) => readIn(tree);

function readIn(node: Node): void {
  if (node.children === undefined) return;
  if (node.type === 'blockquote') readAlert(node);
  node.children = node.children.flatMap((child) => {
    readIn(child);
    if (child.type !== 'html') return [child];
    if (isBreak(child)) return breakIn(node);
    // Inside of a line a tag is what the line is about.
    return (BLOCKS.has(node.type) ? unfolded(child.value ?? '') : null) ?? [child];
  });
}

const isBreak = ({ value = '' }: Node): boolean => /^(?:<br\s*\/?>\s*)+$/i.test(value);

/** Returns a line break where text is, and nothing between blocks. */
const breakIn = ({ type }: Node): Node[] => (BLOCKS.has(type) ? [] : [{ type: 'break' }]);

const BLOCKS: ReadonlySet<string> = new Set(['root', 'blockquote', 'listItem']);

/** Returns the title of a text that folds, without the tags around it; null when there is anything else. */
function unfolded(html: string): Node[] | null {
  const rest = html.replace(/<\/?details(?:\s+open)?\s*>/gi, '');
  const [, title, after = ''] = /^\s*<summary>([^<]*)<\/summary>([^<]*)$/i.exec(rest) ?? [];
  if (title === undefined) return rest !== html && rest.trim() === '' ? [] : null;
  const strong = { type: 'strong', children: [{ type: 'text', value: title.trim() }] };
  return [strong, ...(after.trim() === '' ? [] : [{ type: 'text', value: after.trim() }])].map(
    (child) => ({ type: 'paragraph', children: [child] }),
  );
}

/** Takes the mark of an alert from the beginning of a quotation, and names its kind. */
function readAlert(quote: Node): void {
  const [first, ...others] = quote.children ?? [];
  const [text, ...more] = first?.children ?? [];
  const [mark, kind = ''] = /^\[!(\w+)\][^\S\n]*(?:\n|$)/.exec(text?.value ?? '') ?? [];
  const alert = kind.toLowerCase();
  if (mark === undefined || text?.type !== 'text' || !Object.hasOwn(ALERTS, alert)) return;
  text.value = text.value?.slice(mark.length) ?? '';
  if (text.value === '' && more.length === 0) quote.children = others;
  quote.data = { hProperties: { dataAlert: alert } };
}
