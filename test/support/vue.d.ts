// Single-file components as plain TypeScript sees them; vue-tsc checks their content with the renderer.
declare module '*.vue' {
  const component: import('vue').Component
  export default component
}
