import { memo, useRef } from 'react';
import { cx } from '../ui/cx';
import { MarkdownBlock } from './MarkdownBlock';
import { advance, definitionsIn, type MarkdownBlocks, NO_BLOCKS } from './markdown-blocks';

export interface MarkdownProps {
  /** May grow from one drawing to the next; then only its end is read again. */
  readonly text: string;
  /** False while it is still being written. */
  readonly done: boolean;
}

/** Prose of the model. */
export const Markdown = memo(function Markdown({ text, done }: MarkdownProps) {
  const blocks = useGrowingBlocks(text);
  const definitions = definitionsIn(blocks);
  const last = [...blocks.open, ...blocks.tail];
  return (
    <div className="prose" aria-busy={!done || undefined}>
      {blocks.groups.map((group, index) => (
        <Group key={index} blocks={group} frozen writing={false} definitions={definitions} />
      ))}
      <Group
        key={blocks.groups.length}
        blocks={last}
        frozen={false}
        writing={!done}
        definitions={definitions}
      />
    </div>
  );
});

/** Keeps what was frozen while the same text grows. Drawing twice with one text gives the same blocks. */
function useGrowingBlocks(text: string): MarkdownBlocks {
  const kept = useRef<MarkdownBlocks>(NO_BLOCKS);
  const blocks = advance(kept.current, text);
  kept.current = blocks;
  return blocks;
}

const Group = memo(function Group({
  blocks,
  frozen,
  writing,
  definitions,
}: {
  readonly blocks: readonly string[];
  readonly frozen: boolean;
  /** The last block is still being written. */
  readonly writing: boolean;
  /** Link definitions of the whole text. */
  readonly definitions: string;
}) {
  return (
    <div className={cx(frozen && 'prose-block')}>
      {blocks.map((block, index) => (
        <MarkdownBlock
          key={index}
          text={definitions !== '' && block.includes('[') ? `${block}\n\n${definitions}` : block}
          writing={writing && index === blocks.length - 1}
        />
      ))}
    </div>
  );
});
