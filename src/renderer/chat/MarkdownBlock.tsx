import type { Element, ElementContent } from 'hast';
import { Square, SquareCheck } from 'lucide-react';
import { createContext, memo, type ReactNode, useContext } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './CodeBlock';
import { fileMention } from './file-mention';
import { openFence } from './markdown-blocks';
import { MarkdownContext } from './markdown-context';
import { SafeLink } from './SafeLink';
import { safeHref } from './safe-link';

/** Whether the block is still being written. */
const WritingContext = createContext(false);

/**
 * One block of Markdown. Raw HTML shows as the text it is, images are never loaded, links only lead to
 * http, https and mail.
 */
export const MarkdownBlock = memo(function MarkdownBlock({
  text,
  writing,
}: {
  readonly text: string;
  readonly writing: boolean;
}) {
  // The parser would read all of a long listing again with every delta.
  const fence = writing ? openFence(text) : null;
  if (fence !== null) return <CodeBlock code={fence.code} language={fence.language} done={false} />;
  return (
    <WritingContext value={writing}>
      <ReactMarkdown
        remarkPlugins={PLUGINS}
        components={COMPONENTS}
        urlTransform={(url) => safeHref(url) ?? ''}
      >
        {text}
      </ReactMarkdown>
    </WritingContext>
  );
});

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  a: ({ href, children, node }) => (
    <SafeLink href={href ?? ''} text={textOf(node)}>
      {children}
    </SafeLink>
  ),
  img: ({ src, alt }) => (
    <SafeLink href={typeof src === 'string' ? src : ''} text={alt ?? ''}>
      Image{alt ? `: ${alt}` : ''}
    </SafeLink>
  ),
  pre: ({ node }) => <Fence node={node} />,
  code: ({ children }) => <InlineCode>{children}</InlineCode>,
  input: ({ checked }) => <TaskBox done={checked === true} />,
  table: ({ children }) => (
    <div className="table-scroll">
      <table>{children}</table>
    </div>
  ),
};

function Fence({ node }: { readonly node: Element | undefined }) {
  const writing = useContext(WritingContext);
  const code = node?.children.find((child) => child.type === 'element');
  const classes = code?.type === 'element' ? code.properties['className'] : undefined;
  const language = Array.isArray(classes)
    ? String(classes.find((name) => String(name).startsWith('language-')) ?? '').slice(9)
    : '';
  return <CodeBlock code={textOf(code).replace(/\n$/, '')} language={language} done={!writing} />;
}

/** The box of a task in a list: shown, not pressed. */
function TaskBox({ done }: { readonly done: boolean }) {
  const Icon = done ? SquareCheck : Square;
  return (
    <Icon
      size={15}
      role="img"
      aria-label={done ? 'done' : 'to do'}
      className={done ? 'task-box text-done' : 'task-box text-ink-3'}
    />
  );
}

function InlineCode({ children }: { readonly children: ReactNode }) {
  const { onOpenFile } = useContext(MarkdownContext);
  const mention = typeof children === 'string' && onOpenFile ? fileMention(children) : null;
  if (mention === null || onOpenFile === undefined) return <code>{children}</code>;
  return (
    <button
      type="button"
      className="rounded-sm align-baseline"
      title={`Open ${mention.path}`}
      onClick={() => onOpenFile(mention.path, mention.line)}
    >
      <code className="link">{children}</code>
    </button>
  );
}

function textOf(node: Element | ElementContent | undefined): string {
  if (node === undefined) return '';
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}
