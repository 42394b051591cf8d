import { type DragEvent, useState } from 'react';
import { useLathe } from '../store/use-lathe';

/** Handlers for an area that takes a dropped folder. */
export interface FolderDrop {
  /** A drag is over the area. */
  readonly over: boolean;
  readonly handlers: {
    onDragOver(event: DragEvent): void;
    onDragLeave(event: DragEvent): void;
    onDrop(event: DragEvent): void;
  };
}

/**
 * Takes one dropped folder. Only Electron knows real paths; in a browser `onPath` gets null, since browsers
 * keep the path of what is dropped to themselves.
 */
export function useFolderDrop(onPath: (path: string | null) => void): FolderDrop {
  const { bridge } = useLathe();
  const [over, setOver] = useState(false);
  const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    over,
    handlers: {
      onDragOver(event) {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave(event) {
        if (event.currentTarget.contains(event.relatedTarget as Node | null)) return;
        setOver(false);
      },
      onDrop(event) {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        onPath(file && bridge ? bridge.getPathForFile(file) : null);
      },
    },
  };
}
