import { memo, useEffect, useRef, useState } from 'react';
import { ScrollArea } from '../ui/ScrollArea';

/** A longer formula stays source. Characters. */
const LIMIT = 5_000;

/** A formula, drawn by KaTeX, which is loaded with the first one. Until then, and when it cannot be read, its source. */
export const Formula = memo(function Formula({
  tex,
  block,
}: {
  readonly tex: string;
  /** On a line of its own. */
  readonly block: boolean;
}) {
  const place = useRef<HTMLSpanElement>(null);
  const [drawn, setDrawn] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    if (tex.length <= LIMIT) {
      void draw(tex, block, () => (wanted ? place.current : null)).then((done) => {
        if (wanted) setDrawn(done ? tex : null);
      });
    }
    return () => {
      wanted = false;
    };
  }, [tex, block]);
  const shown = (
    <>
      <span ref={place} hidden={drawn === null} />
      {drawn === null ? <code>{tex}</code> : null}
    </>
  );
  return block ? (
    <ScrollArea label="Formula" className="math-block">
      {shown}
    </ScrollArea>
  ) : (
    shown
  );
});

/** Draws a formula into `place`, unless that is gone; false when it cannot be read. */
async function draw(
  tex: string,
  displayMode: boolean,
  place: () => HTMLElement | null,
): Promise<boolean> {
  try {
    const [katex] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')]);
    const element = place();
    if (element === null) return false;
    // No links, classes or files of the formula's own; macros and sizes are bounded.
    const bounds = { trust: false, strict: false, maxExpand: 500, maxSize: 20 } as const;
    katex.default.render(tex, element, { displayMode, throwOnError: true, ...bounds });
    return true;
  } catch {
    return false;
  }
}
