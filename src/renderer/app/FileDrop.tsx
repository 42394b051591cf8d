import { type DragEvent, type ReactNode, useState } from 'react';
import { focusedOverlay, focusHome } from '../ui/Dialog';
import { useAddFiles } from './use-add-files';

/** Returns false for an event of a dialog above the column, which React hands to what opened it. */
const isWithin = ({ currentTarget, target }: DragEvent): boolean =>
  target instanceof Node && currentTarget.contains(target);

/** Takes files that are dropped anywhere on the middle column into the draft, and says so while they are dragged. */
export function FileDrop({ children }: { readonly children: ReactNode }) {
  const add = useAddFiles();
  const [dragged, setDragged] = useState(false);
  const take = (event: DragEvent) => {
    if (!isWithin(event) || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setDragged(event.type === 'dragover');
    if (event.type !== 'drop') return;
    add([...event.dataTransfer.files]);
    if (focusedOverlay() === null) focusHome();
  };
  const leave = (event: DragEvent) => {
    const { currentTarget, relatedTarget } = event;
    if (
      isWithin(event) &&
      !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))
    )
      setDragged(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button of the message box does the same by keyboard
    <div
      onDragOver={take}
      onDragLeave={leave}
      onDrop={take}
      className="relative h-full min-h-0 min-w-0"
    >
      {children}
      {dragged ? (
        <p className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-canvas/85 p-4 text-center text-title font-semibold">
          Drop to add to your message
        </p>
      ) : null}
    </div>
  );
}
