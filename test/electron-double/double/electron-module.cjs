/** What `require('electron')` gives while a double is in place. */
module.exports = globalThis[Symbol.for('lathe.electron-double')];
