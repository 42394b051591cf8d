import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** The code of the error in place of an address inside this machine or its network; the message is the address. */
export const PRIVATE_ADDRESS = 'LATHE_PRIVATE_ADDRESS';

/** The system's lookup, with an error in place of an address inside this machine or its network. */
export function publicLookup(isPrivateAddress: (address: string) => boolean): LookupFunction {
  return (host, options, done) =>
    lookUp(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '');
      const hidden = found.find(({ address }) => isPrivateAddress(address));
      if (hidden) return done(privateAddress(hidden.address), '');
      if (options.all) return done(null, found);
      const [first = { address: '', family: 4 }] = found;
      return done(null, first.address, first.family);
    });
}

const privateAddress = (address: string): NodeJS.ErrnoException =>
  Object.assign(new Error(address), { code: PRIVATE_ADDRESS });
