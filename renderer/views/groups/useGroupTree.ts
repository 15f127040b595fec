import { computed, reactive, watch, type Ref } from 'vue'
import { api } from '../../api/client.ts'
import type { Group, ProjectInList } from '../../api/types.ts'
import { t } from '../../locales/t.ts'

/** One visible line of the tree: a group, a project, or a message below an expanded group. */
export type TreeRow =
  | { kind: 'group'; key: string; depth: number; group: Group; isOpen: boolean; isLoading: boolean }
  | { kind: 'project'; key: string; depth: number; project: ProjectInList }
  | { kind: 'said'; key: string; depth: number; text: string; more?: string }

type Content = { groups: Group[]; projects: ProjectInList[]; isCut: boolean }
type Level = { content: Content | null; error: string | null }

const PER_LEVEL = 100

const read = async (
  id: number,
  order: { order_by: 'name' | 'last_activity_at'; sort: 'asc' | 'desc' },
): Promise<Content> => {
  const [groups, projects] = await Promise.all([
    api('GET /groups/:id/subgroups', { id, per_page: PER_LEVEL, all_available: true }),
    api('GET /groups/:id/projects', {
      id,
      per_page: PER_LEVEL,
      archived: false,
      with_shared: false,
      ...order,
    }),
  ])
  return { groups, projects, isCut: groups.length === PER_LEVEL || projects.length === PER_LEVEL }
}

/**
 * A group's subgroups and projects as lines of a tree. The content of a subgroup is loaded when it is opened, and
 * again when the top was read again.
 */
export const useGroupTree = (
  top: { groups: Ref<readonly Group[]>; projects: Ref<readonly ProjectInList[]> },
  order: Ref<{ order_by: 'name' | 'last_activity_at'; sort: 'asc' | 'desc' }>,
) => {
  const open = reactive(new Map<number, Level>())

  const load = async (id: number) => {
    const level = open.get(id)
    if (!level) return
    try {
      level.content = await read(id, order.value)
      level.error = null
    } catch (error) {
      level.error = error instanceof Error ? error.message : String(error)
    }
  }
  const toggle = (id: number) => {
    if (open.delete(id)) return
    open.set(id, { content: null, error: null })
    void load(id)
  }
  watch([top.groups, top.projects, order], () => open.forEach((_, id) => void load(id)))

  const below = (group: Group, depth: number): TreeRow[] => {
    const level = open.get(group.id)
    if (!level) return []
    const said = (text: string, more?: string): TreeRow => ({
      kind: 'said',
      key: `said${group.id}`,
      depth,
      text,
      ...(more ? { more } : {}),
    })
    if (level.error) return [said(level.error)]
    if (!level.content) return [said(t('groups.loading'))]
    const { groups, projects, isCut } = level.content
    const rows = rowsOf(groups, projects, depth)
    if (rows.length === 0) return [said(t('groups.nothing_visible_to_you'))]
    return isCut ? [...rows, said(t('groups.not_all_of_its_contents_are_shown'), group.full_path)] : rows
  }
  const rowsOf = (groups: readonly Group[], projects: readonly ProjectInList[], depth: number): TreeRow[] => [
    ...groups.flatMap((group): TreeRow[] => [
      {
        kind: 'group',
        key: `group${group.id}`,
        depth,
        group,
        isOpen: open.has(group.id),
        isLoading: open.get(group.id)?.content === null,
      },
      ...below(group, depth + 1),
    ]),
    ...projects.map((project): TreeRow => ({ kind: 'project', key: `project${project.id}`, depth, project })),
  ]
  const rows = computed(() => rowsOf(top.groups.value, top.projects.value, 0))
  return { rows, toggle }
}
