export {
  list as listSnippetRows,
  type SnippetFilter,
  byId as snippetById,
  byIds as snippetsByIds,
} from './store.ts'
export {
  viewsOf as snippetViews,
  createSnippet,
  removeUnfinished as removeUnfinishedSnippets,
  type NewSnippet,
} from './service.ts'
export { fillSnippet, fillSnippetWith } from './filling.ts'
export { removeOfProject as removeSnippetRepositories, repoOfSnippet } from './repository.ts'
export { pathsOf as snippetPaths, type SnippetRow } from './snippet.ts'
