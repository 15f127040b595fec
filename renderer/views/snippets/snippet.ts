import { api, apiText, type Item } from '../../api/client.ts'
import type { Project } from '../../api/types.ts'
import { projectUrl } from '../../composables/paths.ts'
import type { Crumb } from '../../composables/useCrumbs.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import { t } from '../../locales/t.ts'

export type Snippet = Item<'GET /snippets'>

/** Cached answers that are stale after a change of a snippet. */
export const STALE = ['GET /snippets*', 'GET /projects/:id/snippets*']

/** The address of the list, of one, or of its editing; of a project’s snippets with the project. */
export const snippetUrl = (project: Project | null, id?: number | 'new', rest = ''): string => {
  if (project)
    return projectUrl(project.path_with_namespace, ['snippets', id, rest].filter(Boolean).join('/'))
  return id === undefined ? '/dashboard/snippets' : ['/-/snippets', id, rest].filter(Boolean).join('/')
}

/** The steps down to snippets, and one below them. */
export const snippetCrumbs = (project: Project | null, ...last: Crumb[]): Crumb[] => {
  const own: Crumb = { label: t('common.snippets') }
  if (last.length > 0) own.to = snippetUrl(project)
  return project ? projectCrumbs(project, own, ...last) : [own, ...last]
}

/** The branch of a snippet's files, from their raw addresses. */
const refOf = (file: Snippet['files'][number]) => file.raw_url.split('/raw/')[1]?.split('/')[0] ?? 'main'

/** The text of one file. */
export const snippetText = (
  snippet: Snippet,
  file: Snippet['files'][number],
  signal?: AbortSignal,
): Promise<string> => {
  const at =
    snippet.project_id === null
      ? `/snippets/${snippet.id}`
      : `/projects/${snippet.project_id}/snippets/${snippet.id}`
  return apiText(
    `/api/v4${at}/files/${refOf(file)}/${encodeURIComponent(file.path)}/raw`,
    signal ? { signal } : {},
  )
}

/** Deletes a snippet permanently. */
export const removeSnippet = (snippet: Snippet) =>
  snippet.project_id === null
    ? api('DELETE /snippets/:id', { id: snippet.id })
    : api('DELETE /projects/:id/snippets/:snippet_id', { id: snippet.project_id, snippet_id: snippet.id })
