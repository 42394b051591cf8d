/** Node's own `import()`: vitest would transform what is imported through it. */
module.exports = (url) => import(url);
