import { Square, SquareCheck } from 'lucide-react';
import { Component, memo, type ReactNode, useContext, useRef } from 'react';
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { cutMarks } from '../ui/combining';
import { cx } from '../ui/css';
import { ScrollArea } from '../ui/ScrollArea';
import { listingPlace, PlaceContext, WritingContext } from './block-contexts';
import { CodeBlock } from './CodeBlock';
import { Diagram } from './Diagram';
import { NoteReference, NoteRow, NotesContext } from './FootnoteLinks';
import { Formula } from './Formula';
import { fileTarget, markFileMentions } from './file-mentions';
import { footnotesOf, noteOf } from './footnotes';
import { ALERTS, readKnownTags } from './known-tags';
import { AnyLink, InlineCode, SafeLink, safeHref } from './Links';
import {
  advance,
  drawnWhileWriting,
  lastBlocks,
  type MarkdownBlocks,
  NO_BLOCKS,
  needsGfm,
  openFence,
  type TextPart,
} from './markdown-blocks';
import { readDollars, withDollars } from './math';
import { imageName, imagePath, ProjectImage } from './ProjectImage';
import { isTangled } from './tangled';

type Element = NonNullable<ExtraProps['node']>;
type ElementContent = Element['children'][number];

interface MarkdownProps {
  /** May grow from one drawing to the next; then only its end is read again. */
  readonly text: string;
  /** False while it is still being written. */
  readonly done: boolean;
  /** The part of the text to draw; absent: all of it. */
  readonly part?: TextPart | undefined;
}

/** Prose of the model: all of it, or the part that a row of a long answer shows. A text that gets long keeps what is drawn. */
export const Markdown = memo(function Markdown({ text, done, part }: MarkdownProps) {
  const kept = useRef<MarkdownBlocks>(NO_BLOCKS);
  if (part !== undefined) {
    const { first, last, writing, ...shown } = part;
    return (
      <div
        className={cx('prose', !first && 'prose-follows', !last && 'prose-goes-on')}
        aria-busy={writing || undefined}
      >
        {[<Blocks key={0} {...shown} writing={writing} />]}
      </div>
    );
  }
  const blocks = advance(kept.current, text);
  kept.current = blocks;
  const { groups, definitions, notes } = blocks;
  let before = 0;
  const drawn = [...groups, lastBlocks(blocks)].map((group) => {
    const from = before;
    before += group.length;
    return { group, from };
  });
  return (
    <div className="prose" aria-busy={!done || undefined}>
      {drawn.map(({ group, from }, index) => (
        <Blocks
          key={index}
          blocks={group}
          from={from}
          definitions={definitions}
          notes={notes}
          writing={!done && index === groups.length}
          lazy={index < groups.length}
        />
      ))}
    </div>
  );
});

type BlocksProps = Pick<TextPart, 'blocks' | 'from' | 'definitions' | 'notes' | 'writing'>;

const Blocks = memo(function Blocks({
  blocks,
  from,
  definitions,
  notes,
  writing,
  lazy = false,
}: BlocksProps & {
  /** It is left out of layout while it is out of sight. */
  readonly lazy?: boolean;
}) {
  return (
    <div className={cx(lazy && 'prose-block')}>
      {blocks.map((block, index) => (
        <NotedBlock
          key={index}
          block={block}
          place={`${from + index}`}
          definitions={definitions}
          notes={notes}
          writing={writing && index === blocks.length - 1}
        />
      ))}
    </div>
  );
});

/** One block, with the link definitions it may use; footnotes that it defines stand after its text. */
const NotedBlock = memo(function NotedBlock({
  block,
  place,
  definitions,
  notes: labels,
  writing,
}: Omit<BlocksProps, 'blocks' | 'from'> & {
  readonly block: string;
  /** Its place in the text. */
  readonly place: string;
}) {
  const { text, notes } = footnotesOf(block, labels);
  const withLinks = (own: string) =>
    definitions !== '' && own.includes('[') ? `${own}\n\n${definitions}` : own;
  return (
    <>
      {notes.length > 0 && text.trim() === '' ? null : (
        <MarkdownBlock text={withLinks(text)} place={place} writing={writing} />
      )}
      {notes.map((note, at) => (
        <NoteRow key={at} label={note.label}>
          <MarkdownBlock text={withLinks(note.text)} place={`${place}.${at}`} writing={writing} />
        </NoteRow>
      ))}
    </>
  );
});

/**
 * One block of Markdown. Raw HTML shows as the text it is, images come from the project only, links only lead to
 * http, https, mail and files that the viewer shows.
 */
const MarkdownBlock = memo(function MarkdownBlock({
  text: whole,
  place,
  writing,
}: {
  readonly text: string;
  readonly place: string;
  readonly writing: boolean;
}) {
  const { scope } = useContext(NotesContext);
  // The parser would read all of a long listing again with every delta.
  const fence = writing ? openFence(whole) : null;
  const drawn = useRef('');
  drawn.current = writing ? drawnWhileWriting(drawn.current, whole) : whole;
  const text = withDollars(cutMarks(drawn.current));
  if (fence !== null)
    return (
      <CodeBlock
        code={cutMarks(fence.code)}
        language={fence.language}
        done={false}
        place={listingPlace(scope, place, 1)}
      />
    );
  // Ligatures make a browser shape a long run anew for each line of it.
  const plain = (
    <p className="whitespace-pre-wrap [font-feature-settings:normal] [font-variant-ligatures:none]">
      {text}
    </p>
  );
  if (isTangled(text)) return plain;
  return (
    <WritingContext value={writing}>
      <PlaceContext value={place}>
        <OrElse fallback={plain}>
          <ReactMarkdown
            remarkPlugins={needsGfm(text) ? PLUGINS : PLAIN_PLUGINS}
            components={COMPONENTS}
            urlTransform={(url, key) =>
              noteOf(url) !== null || (key === 'src' ? imagePath(url) : fileTarget(url)) !== null
                ? url
                : (safeHref(url) ?? '')
            }
          >
            {text}
          </ReactMarkdown>
        </OrElse>
      </PlaceContext>
    </WritingContext>
  );
});

/** Shows the fallback in the place of what cannot be drawn: one block must not take the window with it. */
class OrElse extends Component<{ readonly fallback: ReactNode; readonly children: ReactNode }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}

/** A node of a tree of Markdown, as far as it matters here. */
interface Block {
  readonly type: string;
  data?: { readonly hProperties?: object };
}

/** Lets each paragraph and heading begin where its script does; those in lists and quotes follow these. */
const directParagraphs = () => (tree: { readonly children: readonly Block[] }) => {
  for (const block of tree.children)
    if (block.type === 'paragraph' || block.type === 'heading')
      block.data = { ...block.data, hProperties: { dir: 'auto' } };
};

const PLAIN_PLUGINS = [remarkMath, readDollars, readKnownTags, markFileMentions, directParagraphs];
const PLUGINS = [remarkGfm, ...PLAIN_PLUGINS];

const COMPONENTS: Components = {
  a: ({ href = '', children, node }) => {
    const label = noteOf(href);
    return label === null ? (
      <AnyLink href={href} text={textOf(node)}>
        {children}
      </AnyLink>
    ) : (
      <NoteReference label={label} />
    );
  },
  img: ({ src, alt = '' }) => {
    const url = typeof src === 'string' ? src : '';
    const path = imagePath(url);
    return path === null ? (
      <SafeLink href={url} text={alt}>
        {imageName(alt)}
      </SafeLink>
    ) : (
      <ProjectImage path={path} alt={alt} />
    );
  },
  pre: ({ node }) => <Fence node={node} />,
  code: ({ children, className = '' }) =>
    className.includes('language-math') && typeof children === 'string' ? (
      <Formula tex={children} block={className.includes('math-display')} />
    ) : (
      <InlineCode>{children}</InlineCode>
    ),
  input: ({ checked }) => <TaskBox done={checked === true} />,
  table: ({ children }) => (
    <ScrollArea label="Table" className="table-scroll">
      <table dir="auto">{children}</table>
    </ScrollArea>
  ),
  // Marks, numbers and bars stand where the script of the text begins.
  ul: ({ node: _, ...list }) => <ul dir="auto" {...list} />,
  ol: ({ node: _, ...list }) => <ol dir="auto" {...list} />,
  blockquote: ({ children, node }) => (
    <Quote alert={node?.properties['dataAlert']}>{children}</Quote>
  ),
};

/** A quotation, or an alert under its title. */
function Quote({ alert, children }: { readonly alert: unknown; readonly children: ReactNode }) {
  if (typeof alert !== 'string') return <blockquote dir="auto">{children}</blockquote>;
  return (
    <blockquote dir="auto" data-alert={alert}>
      <p data-alert-title>{ALERTS[alert]}</p>
      {children}
    </blockquote>
  );
}

function Fence({ node }: { readonly node: Element | undefined }) {
  const writing = useContext(WritingContext);
  const { scope } = useContext(NotesContext);
  const block = useContext(PlaceContext);
  const code = node?.children.find((child) => child.type === 'element');
  const classes = code?.type === 'element' ? code.properties['className'] : undefined;
  const language = Array.isArray(classes)
    ? String(classes.find((name) => String(name).startsWith('language-')) ?? '').slice(9)
    : '';
  const text = textOf(code).replace(/\n$/, '');
  if (language === 'math') return <Formula tex={text} block />;
  if (language === 'mermaid' && !writing) return <Diagram code={text} />;
  const place = listingPlace(scope, block, node?.position?.start.line ?? 1);
  return <CodeBlock code={text} language={language} done={!writing} place={place} />;
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

function textOf(node: Element | ElementContent | undefined): string {
  if (node === undefined) return '';
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}
