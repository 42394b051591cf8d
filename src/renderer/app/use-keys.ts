import { useEffect } from 'react';
import { useLathe } from '../store/use-lathe';
import { onApple } from '../ui/keys';
import { type FocusPlaces, runCommand } from './commands';
import { appTakesFromTerminal, commandFor } from './keys';

/** Listens for the keys of the table while the workbench is on screen. */
export function useKeys(places: FocusPlaces): void {
  const lathe = useLathe();
  useEffect(() => {
    const apple = onApple();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest('.xterm') && !appTakesFromTerminal(event, apple)) return;
      const command = commandFor(event, apple);
      if (command === null) return;
      if (command.inComposer && !target?.closest('[data-composer]')) return;
      if (event.key === 'Escape' && target?.closest('[role=dialog], [role=menu], input')) return;
      event.preventDefault();
      void runCommand(lathe, places, command.id);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [lathe, places]);
}
