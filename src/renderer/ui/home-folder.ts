import { createContext } from 'react';

/** The person's home folder, which what is shown writes as `~`; empty while it is not known. */
export const HomeFolder = createContext('');
