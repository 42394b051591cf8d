import { createContext, useContext } from 'react';
import { createKeymap, type Keymap, NO_BINDINGS } from '../../shared/keymap';

/** Carries the keys of all commands down the tree; ours where nothing else is said. */
export const KeymapContext = createContext<Keymap>(createKeymap(NO_BINDINGS, false));

/** Returns the keys of all commands; the component renders again when they change. */
export const useKeymap = (): Keymap => useContext(KeymapContext);
