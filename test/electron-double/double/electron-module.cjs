/** Gives `require('electron')` the double that is in place. */
module.exports = globalThis[Symbol.for('lathe.electron-double')];
