import { Menu } from 'lucide-react';
import { useEffect } from 'react';
import type { AppInfo } from '../../shared/contract';
import type { Lathe } from '../store/lathe';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { IconButton } from '../ui/Button';
import { onApple, pressOf } from '../ui/keys';

/** Returns what the page's top row has of a title bar: room for the system's buttons, the menu as well, or null. */
const titleBarOf = (info: AppInfo | null): 'buttons' | 'menu' | null => {
  if (info?.ownTitleBar !== true) return null;
  return info.platform === 'darwin' ? 'buttons' : 'menu';
};

/** Puts the kind of title bar on the page, and opens the menu on Alt alone and on F10. */
export function useTitleBar(): void {
  const lathe = useLathe();
  const kind = useScreen((s) => titleBarOf(s.info));
  useEffect(() => {
    const root = document.documentElement;
    if (kind === null) root.removeAttribute('data-title-bar');
    else root.setAttribute('data-title-bar', kind);
    return kind === 'menu' ? listenForMenuKeys(lathe) : undefined;
  }, [lathe, kind]);
}

/** The menu of the app where the page is the title bar of a window that would have it there. */
export function MenuButton() {
  const lathe = useLathe();
  const kind = useScreen((s) => titleBarOf(s.info));
  if (kind !== 'menu') return null;
  return (
    <IconButton
      data-app-menu
      icon={Menu}
      size="md"
      label="Menu"
      keys="f10"
      aria-haspopup="menu"
      tooltipSide="bottom"
      onClick={() => openMenu(lathe)}
    />
  );
}

/** The top row of a screen that has none: it moves the window. Before the host has spoken nobody knows whether it must. */
export function TitleStrip() {
  const unknown = useScreen((s) => s.info === null);
  return (
    <div
      data-title-row={unknown ? 'unknown' : 'own start'}
      className="h-11 shrink-0 items-center bg-canvas"
    >
      <MenuButton />
    </div>
  );
}

/** Opens the menu below its button. */
function openMenu({ ask, store }: Lathe): void {
  const rect = document.querySelector('[data-app-menu]')?.getBoundingClientRect();
  const place = { x: Math.round(rect?.left ?? 0), y: Math.round(rect?.bottom ?? 0) };
  void ask((client) => client.app.openMenu(place)).then((opened) => reported(store, opened));
}

/** Opens the menu on Alt alone and on F10, as menu bars do. A key of the user's own and programs in terminals have F10 before it. */
function listenForMenuKeys(lathe: Lathe): () => void {
  const over = new AbortController();
  let alone = false;
  const forget = () => {
    alone = false;
  };
  const watchAlt = (event: KeyboardEvent) => {
    alone = event.key === 'Alt' && !event.ctrlKey && !event.shiftKey && !event.metaKey;
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (alone && event.key === 'Alt') {
      event.preventDefault();
      openMenu(lathe);
    }
    alone = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'F10' || event.defaultPrevented) return;
    const { shiftKey, ctrlKey, altKey, metaKey } = event;
    if (shiftKey || ctrlKey || altKey || metaKey) return;
    const { keymap } = lathe.store.getState();
    if (keymap.commandFor(pressOf(event, onApple()), 'window') !== null) return;
    event.preventDefault();
    openMenu(lathe);
  };
  const { signal } = over;
  // Terminals keep their keys to themselves.
  window.addEventListener('keydown', watchAlt, { signal, capture: true });
  window.addEventListener('keyup', onKeyUp, { signal, capture: true });
  window.addEventListener('pointerdown', forget, { signal, capture: true });
  window.addEventListener('blur', forget, { signal });
  window.addEventListener('keydown', onKeyDown, { signal });
  return () => over.abort();
}
