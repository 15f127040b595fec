export { list as listSnippetRows, type SnippetFilter } from './store.ts'
export { viewsOf as snippetViews } from './service.ts'
