import { SquareArrowOutUpRight } from 'lucide-react';
import { IconButton } from '../ui/IconButton';
import type { OnCardAction } from './card-action';

/** Opens a file, at a line when one is known. */
export function OpenFileButton({
  path,
  line,
  onAction,
}: {
  readonly path: string;
  readonly line: number | undefined;
  readonly onAction: OnCardAction;
}) {
  return (
    <IconButton
      icon={SquareArrowOutUpRight}
      label="Open file"
      onClick={() => onAction({ type: 'openFile', path, ...(line === undefined ? {} : { line }) })}
    />
  );
}
