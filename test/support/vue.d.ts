// Single-file components as plain TypeScript sees them; `scripts/vue-types.mjs` checks their content with the renderer.
declare module '*.vue' {
  const component: import('vue').Component
  export default component
}
