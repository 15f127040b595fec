import { computed, type MaybeRefOrGetter, toValue } from 'vue'
import type { TreeItem } from '../../api/schema.gen.ts'
import { projectUrl } from '../../composables/paths.ts'
import { useProject } from '../../composables/useProject.ts'
import { previewOf } from './file-content.ts'
import { refPath } from './refs.ts'
import { useAll } from '../../api/useAll.ts'

/** Most entries shown of a folder. The window shows that the rest is omitted. */
const MAX_FOLDER_PAGES = 30
/** The whole recursive list in one answer, where the server offers it; otherwise page by page. */
const AT_ONCE: object = { pagination: 'none' }
/** Page by page, the file finder knows the first 20,000 entries of a repository. */
const MAX_RECURSIVE_PAGES = 200

const rank = { tree: 0, commit: 1, blob: 2 }

/** The entries of one folder, folders first. */
export const useTree = (target: MaybeRefOrGetter<{ ref: string; path: string } | null>) => {
  const project = useProject()
  const tree = useAll(
    'GET /projects/:id/repository/tree',
    () => {
      const at = toValue(target)
      return at && { id: project.value.id, ref: at.ref, path: at.path || undefined }
    },
    { maxPages: MAX_FOLDER_PAGES },
  )
  const items = computed(() => tree.items.value.toSorted((a, b) => rank[a.type] - rank[b.type]))
  return { ...tree, items }
}

/** The paths of all files at a ref; loaded on demand. */
export const useAllFiles = (ref: MaybeRefOrGetter<string | null>) => {
  const project = useProject()
  const tree = useAll(
    'GET /projects/:id/repository/tree',
    () => {
      const name = toValue(ref)
      return name ? { id: project.value.id, ref: name, recursive: true, ...AT_ONCE } : null
    },
    { maxPages: MAX_RECURSIVE_PAGES },
  )
  const paths = computed(() => tree.items.value.flatMap((item) => (item.type === 'blob' ? [item.path] : [])))
  return { ...tree, paths }
}

/** The link of a tree entry; a submodule has none. */
export const useTreeLinks = () => {
  const project = useProject()
  return (item: Pick<TreeItem, 'type' | 'path'>, ref: string) => {
    if (item.type === 'commit') return null
    return projectUrl(project.value.path_with_namespace, refPath(item.type, ref, item.path))
  }
}

const README = /^readme(\.(md|markdown|mdown|mkd|txt|rst|adoc|asciidoc|org|rdoc))?$/i

/** The file that introduces a folder: Markdown before other text. */
export const readmeOf = (items: readonly TreeItem[]): TreeItem | null => {
  const found = items.filter((item) => item.type === 'blob' && README.test(item.name))
  return found.find((item) => previewOf(item.name) === 'document') ?? found[0] ?? null
}
