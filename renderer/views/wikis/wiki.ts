import { inject, type ComputedRef, type InjectionKey } from 'vue'
import { api } from '../../api/client.ts'
import type { Endpoints } from '../../api/schema.gen.ts'
import { useApi } from '../../api/useApi.ts'
import { usePage } from '../../api/usePage.ts'
import { encodePath } from '../../composables/paths.ts'
import type { Crumb } from '../../composables/useCrumbs.ts'
import { t } from '../../locales/t.ts'

/** The fields of a project or group that its wiki needs. */
export type Wiki = {
  kind: 'project' | 'group'
  id: number
  full_path: string
  crumbs: (...last: Crumb[]) => Crumb[]
}

export const WIKI: InjectionKey<ComputedRef<Wiki>> = Symbol('wiki')

/** The wiki that the address is in. Only for views below `WikiFrame`. */
export const useWiki = (): ComputedRef<Wiki> => {
  const wiki = inject(WIKI)
  if (!wiki) throw new Error('useWiki() needs a view inside a wiki')
  return wiki
}

export type WikiTree = Endpoints['GET /-/projects/:id/wikis/tree']['result']
export type WikiDetail = Endpoints['GET /-/projects/:id/wikis/:slug/page']['result']
export type WikiVersion = Endpoints['GET /-/projects/:id/wikis/:slug/versions']['result'][number]
type Written = Endpoints['PUT /-/projects/:id/wikis/:slug']['params']
export type WikiFormat = NonNullable<Written['format']>

/** Formats that a page can be written in. */
export const FORMATS: readonly { value: WikiFormat; label: string; extension: string }[] = [
  { value: 'markdown', label: t('wikis.markdown'), extension: 'md' },
  { value: 'asciidoc', label: t('wikis.asciidoc'), extension: 'adoc' },
  { value: 'org', label: t('wikis.org'), extension: 'org' },
  { value: 'rdoc', label: 'RDoc', extension: 'rdoc' },
]

/** The address of a page or of an action on it: `wikiUrl(wiki, 'a/b', 'edit')`. */
export const wikiUrl = (wiki: Pick<Wiki, 'kind' | 'full_path'>, slug = 'home', rest = ''): string => {
  const start = wiki.kind === 'group' ? '/groups/' : '/'
  return `${start}${encodePath(wiki.full_path)}/-/wikis/${encodePath(slug)}${rest ? `/${rest}` : ''}`
}

/** Where a page is written that is not there yet. */
export const newPageUrl = (wiki: Wiki, title = ''): string =>
  wikiUrl(wiki, 'new') + (title ? `?title=${encodeURIComponent(title)}` : '')

/** Answers that show a wiki. */
export const STALE = [
  'GET /projects/:id/wikis*',
  'GET /groups/:id/wikis*',
  'GET /-/projects/:id/wikis*',
  'GET /-/groups/:id/wikis*',
]

const isOfProject = (wiki: Wiki) => wiki.kind === 'project'

/** The pages, the sidebar and the addresses of a wiki. */
export const useWikiTree = (wiki: ComputedRef<Wiki>) =>
  useApi(isOfProject(wiki.value) ? 'GET /-/projects/:id/wikis/tree' : 'GET /-/groups/:id/wikis/tree', () => ({
    id: wiki.value.id,
  }))

/** A page with its HTML, as it is or as a version had it; null params: not yet. */
export const useWikiPage = (
  wiki: ComputedRef<Wiki>,
  params: () => { slug: string; version?: string } | null,
) =>
  useApi(
    isOfProject(wiki.value) ? 'GET /-/projects/:id/wikis/:slug/page' : 'GET /-/groups/:id/wikis/:slug/page',
    () => {
      const given = params()
      return given && { id: wiki.value.id, ...given }
    },
  )

/** The versions of a page, the newest first. */
export const useWikiVersions = (
  wiki: ComputedRef<Wiki>,
  params: () => { slug: string; page: number; per_page: number },
) =>
  usePage(
    isOfProject(wiki.value)
      ? 'GET /-/projects/:id/wikis/:slug/versions'
      : 'GET /-/groups/:id/wikis/:slug/versions',
    () => ({ id: wiki.value.id, ...params() }),
  )

/** The changes of a version. */
export const useWikiDiff = (wiki: ComputedRef<Wiki>, params: () => { slug: string; sha: string }) =>
  useApi(
    isOfProject(wiki.value)
      ? 'GET /-/projects/:id/wikis/:slug/versions/:sha/diff'
      : 'GET /-/groups/:id/wikis/:slug/versions/:sha/diff',
    () => ({ id: wiki.value.id, ...params() }),
  )

/** The write actions of a wiki. */
export const wikiWrites = (wiki: Wiki) => {
  const { id } = wiki
  const pick = <A, B>(ofProject: A, ofGroup: B) => (isOfProject(wiki) ? ofProject : ofGroup)
  return {
    create: (page: Omit<Endpoints['POST /-/projects/:id/wikis']['params'], 'id'>) =>
      api(pick('POST /-/projects/:id/wikis' as const, 'POST /-/groups/:id/wikis' as const), { id, ...page }),
    update: (slug: string, changes: Omit<Written, 'id' | 'slug'>) =>
      api(pick('PUT /-/projects/:id/wikis/:slug' as const, 'PUT /-/groups/:id/wikis/:slug' as const), {
        id,
        slug,
        ...changes,
      }),
    remove: (slug: string) =>
      api(pick('DELETE /projects/:id/wikis/:slug' as const, 'DELETE /groups/:id/wikis/:slug' as const), {
        id,
        slug,
      }),
    attach: (file: File) =>
      api(
        pick('POST /projects/:id/wikis/attachments' as const, 'POST /groups/:id/wikis/attachments' as const),
        { id, file },
      ),
    preview: (text: { content: string; format: WikiFormat; slug: string }, signal: AbortSignal) =>
      api(
        pick('POST /-/projects/:id/wikis/preview' as const, 'POST /-/groups/:id/wikis/preview' as const),
        { id, ...text },
        { signal },
      ),
  }
}
