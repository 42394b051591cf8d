import { createContext } from 'react';

/** True while the block is still being written. */
export const WritingContext = createContext(false);

/** The place of the block in the text. */
export const PlaceContext = createContext('');

/** Names a listing by its message, the block of it and the line of that: others may have the same code. */
export const listingPlace = (scope: string, block: string, line: number): string =>
  `${scope} ${block} ${line}`;
